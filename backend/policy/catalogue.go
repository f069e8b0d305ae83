package policy

// catalogue holds every text of this package, one entry a line: code, tab,
// text (see Template). It starts with a line break. The words of the surfaces
// are those of FILTER section 3.
const catalogue = `
list.open	all
list.only	{0} selected
list.only_helpers	{0} selected (+{1})
list.except	-{0} excluded
list.invalid	invalid
list.held_open	held (all)
list.held_only	held ({0} selected)
list.held_only_helpers	held ({0} selected) (+{1})
list.held_except	held (-{0} excluded)
list.held_invalid	held (invalid)
row.open	all tools enabled
row.only_none	[include only: (none)]
row.only_none_helpers	[include only: (none)] (+{0})
row.only	[include only: {0}]
row.only_helpers	[include only: {0}] (+{1})
row.except	[excluded: {0}]
row.invalid	[invalid: {0}]
panel.open	No filter - all {0} on, new ones too
panel.open_unknown	No filter - all on, new ones too
panel.locked	Locked - 0 of {0}
panel.locked_unknown	Locked - nothing is on
panel.only	{0} of {1} on, new ones stay off
panel.only_helpers	{0} of {1} on, new ones stay off; also on: {2}
panel.only_unknown	{0} selected, new ones stay off
panel.only_unknown_helpers	{0} selected, new ones stay off; also on: {1}
panel.only_globs	{0} of {1} on, new ones only where a pattern matches
panel.only_globs_helpers	{0} of {1} on, new ones only where a pattern matches; also on: {2}
panel.only_globs_unknown	{0} selected, new ones only where a pattern matches
panel.only_globs_unknown_helpers	{0} selected, new ones only where a pattern matches; also on: {1}
panel.except	{0} of {1} on, new ones too
panel.except_unknown	all but {0} on, new ones too
panel.except_globs	{0} of {1} on, new ones too unless a pattern matches
panel.except_globs_unknown	all but {0} on, new ones too unless a pattern matches
panel.invalid	{0}; {1}
panel.held	Held - {0} of {1} on: the file opens it, Hermes still holds it, since {2}
panel.held_unknown	Held: the file opens it, Hermes still holds it, since {0}
panel.held_other	Held - {0} of {1} on: the file says something else now, Hermes still holds what it said before, since {2}
panel.held_other_unknown	Held: the file says something else now, Hermes still holds what it said before, since {0}
panel.waits	Waits - {0} of {1} on: the file was changed while an agent was at work, and what that opens waits for a person's next action
panel.waits_unknown	Waits: the file was changed while an agent was at work, and what that opens waits for a person's next action
why.no_rules	no rules were read for this server, so everything is denied
why.no_rules.hint	load the configuration again
why.no_name	a call without a name is never allowed
why.invalid	{0}, so everything of this server is denied
why.open	no filter is written, so every tool is on
why.include	include lists {0}
why.include_glob	include has the pattern {1} and it matches {0}
why.empty_include	include names no tool, so every tool is off
why.not_included	include lists {1} {1:tool|tools} and {0} is not {1:it|among them}
why.not_included_glob	include has {1} {1:pattern|patterns} and {1:it does not match|none matches} {0}
why.excluded	exclude lists {0}
why.excluded_glob	exclude has the pattern {1} and it matches {0}
why.not_excluded	exclude lists {1} {1:tool|tools} and {0} is not {1:it|among them}
why.not_excluded_glob	exclude has {1} {1:pattern|patterns} and {1:it does not match|none matches} {0}
why.written_on	{0} is written on
why.written_off	{0} is written off
why.default_on	{0} is on because no whitelist is written
why.not_written	include names everything that may be called and {0} is not written on
why.unknown_helper	{0} is not a helper
why.held	the file opens it, Hermes still holds it, since {0} (ledger); hermes mcp open {1} accepts, hermes mcp restore {1} writes the key back
why.held_other	the file allows it now, Hermes still holds what it said before, since {0} (ledger); hermes mcp open {1} accepts what the file says now, hermes mcp lock {1} locks
why.waits	the file allows it now, but it was changed while an agent was at work, and the change waits for a person's next action; once the agent is done hermes mcp reload takes it, so does Reload in the window or a message you type
why.held_on	the file allows it, and so does the lock that Hermes holds since {0} (ledger)
kind.none	nothing
kind.null	an empty value
kind.number	a number
kind.boolean	true or false
kind.date	a date
kind.text	text
kind.list	a list
kind.mapping	a mapping
kind.set	a set
kind.other	a value with a tag of its own
include.scalar	include is one string and is read as the one name {0}
include.scalar.hint	write a list: include: [{0}]
include.empty_name	include holds an empty name, which matches no tool
include.empty_name.hint	write the name of a tool, or include: [] to block all
include.null	include has no value, which blocks all tools
include.null.hint	write [] to block all or remove the key to open the server
include.not_text	include holds {k1}, which is read as the text {0}
include.not_text.hint	quote it: "{0}"
include.element	include holds {k0}, which names no tool and is ignored
include.element.hint	write the names of tools, or remove the element
include.twice	include lists {0} more than once
include.twice.hint	remove one of them
include.shape	include is {k0}, not a list of tool names
include.shape.hint	write include: [name, ...], include: [] to block all, or remove the key to open the server
exclude.ignored	exclude is ignored because include is written
exclude.ignored.hint	remove one of the two keys
exclude.scalar	exclude is one string and is read as the one name {0}
exclude.scalar.hint	write a list: exclude: [{0}]
exclude.empty_name	exclude holds an empty name, which matches no tool
exclude.empty_name.hint	write the name of a tool, or remove it
exclude.not_text	exclude holds {k1}, which is read as the text {0}
exclude.not_text.hint	quote it: "{0}"
exclude.element	exclude holds {k0}, so what to keep out cannot be known
exclude.element.hint	write the names of tools, or remove the element
exclude.twice	exclude lists {0} more than once
exclude.twice.hint	remove one of them
exclude.shape	exclude is {k0}, not a list of tool names
exclude.shape.hint	write exclude: [name, ...] or remove the key
tools.shape	tools is {k0}, not a mapping
tools.shape.hint	write tools: {include: [name, ...]}
tools.near_key	{0} is not a key that tools knows and has no effect
tools.near_key.hint	did you mean {1}?
entry.shape	the server's entry is {k0}, not a mapping
entry.shape.hint	write the server's settings below its name, for example command: and args:
entry.near_key	{0} is not a key of a server and has no effect
entry.near_key.hint	did you mean {1}?
entry.misplaced	{0} stands beside tools, where it has no effect
entry.misplaced.hint	move it below tools
entry.size	the server's entry is too large or too deep to be read
entry.size.hint	make it smaller, for example by using fewer aliases
entry.damaged	the server's entry was handed over damaged
entry.damaged.hint	load it again
duplicate.key	{0} is written twice, in lines {1} and {2}
duplicate.key.hint	remove one of them
duplicate.server	the server is written twice, in lines {0} and {1}
duplicate.server.hint	remove or rename one of them
duplicate.servers	mcp_servers is written twice, in lines {0} and {1}
duplicate.servers.hint	join them under one key
file.shape	the file is {k0}, not a mapping
file.shape.hint	write mcp_servers: with the servers below it
servers.shape	mcp_servers is {k0}, not a mapping
servers.shape.hint	write each server as name: {...} below mcp_servers
servers.name	the name of a server is {k0}, not text, and the entry is ignored
servers.name.hint	write the server's name as text
switch.value	{0} is neither true nor false and is read as false
switch.value.hint	write {0}: true or {0}: false
switch.null	{0} has no value and counts as not written
switch.null.hint	write {0}: true or {0}: false, or remove the key
trust.value	trust is neither full nor untrusted and is read as untrusted
trust.value.hint	write trust: full or trust: untrusted
edit.action	{0} is not one of on, off, lock and open
edit.action.hint	say what the result should be
edit.both	{0} is asked to be on and off at once
edit.both.hint	say one of the two
edit.no_name	no tool is named
edit.no_name.hint	name one tool of the server
edit.pattern_name	{0} would be read as a pattern, not as the name of one tool
edit.pattern_name.hint	write the pattern into the file by hand
edit.invalid	{0}
edit.invalid.hint	{0}, or lock the server
edit.broken	{0}
edit.broken.hint	{0}; nothing of this server can be called until then
edit.duplicate	{0}
edit.duplicate.hint	{0} first; everything of this server is denied until then
edit.alias	{0} comes from the anchor &{1}, which other places use as well
edit.alias.hint	change the place of the anchor by hand, or write the key out in this server
edit.alias_entry	the server's entry comes from the anchor &{0}, which other places use as well
edit.alias_entry.hint	change the place of the anchor by hand, or write the entry out
edit.anchor	{0} carries the anchor &{1}, which other places may use
edit.anchor.hint	change it by hand
edit.held_on	{0} is held on by the pattern {1} in include
edit.held_on.hint	change the pattern, or let it be replaced by the names it matches now
edit.held_off	{0} is held off by the pattern {1} in exclude
edit.held_off.hint	change the pattern, or let it be replaced by the names it matches now
edit.held	the file opens the server, Hermes still holds it, and nothing can be turned on while it does
edit.held.hint	hermes mcp open {0} accepts the file, hermes mcp lock {0} locks, hermes mcp restore {0} writes the key back
edit.held_other	the file says something else than what Hermes still holds, and nothing that is held off can be turned on while it does
edit.held_other.hint	hermes mcp open {0} accepts what the file says now, hermes mcp lock {0} locks
edit.waits	the file was changed while an agent was at work, and what that opens waits for a person's next action
edit.waits.hint	hermes mcp reload takes the change once the agent is done, hermes mcp open {0} accepts what the file says, hermes mcp lock {0} locks
edit.not_held	the server is not held, so there is nothing to write back
edit.not_held.hint	hermes mcp list shows what is held
edit.restore_unreadable	what the file said could not be read, so there is nothing to write back
edit.restore_unreadable.hint	hermes mcp lock {0} locks the server, hermes mcp open {0} accepts the file
edit.restore_present	{0} stands in the file and is not what is held, and nothing that somebody wrote there is written over
edit.restore_present.hint	hermes mcp open {1} accepts what the file says, hermes mcp lock {1} locks, or take {0} out of the file and type hermes mcp restore {1} again
edit.restore_waits	no key is gone: the file was changed while an agent was at work, and what that opens waits for a person's next action
edit.restore_waits.hint	hermes mcp reload takes the change once the agent is done, hermes mcp open {0} accepts what the file says, hermes mcp lock {0} locks
edit.restore_short	the key alone would not bring back all that is held, because of what the file says beside it
edit.restore_short.hint	hermes mcp lock {0} locks the server, hermes mcp open {0} accepts the file
edit.not_known	the pattern {0} cannot be replaced because the server's tools are not known
edit.not_known.hint	look at the server first: hermes mcp test
edit.open_shape	{0}
edit.open_shape.hint	{0}, or remove the key by hand to open the server
edit.path	the edit does not fit the file
edit.path.hint	look at the file again and repeat the edit
verify.server	the server is not in the file after the edit
verify.server.hint	nothing was written; change the file by hand
verify.others	the edit would change the rules of the server {0} as well
verify.others.hint	nothing was written; change the file by hand
verify.result	the edit would not have the intended result for {0}
verify.result.hint	nothing was written; change the file by hand
verify.more	the edit would change more than was intended: {0}
verify.more.hint	nothing was written; change the file by hand
`
