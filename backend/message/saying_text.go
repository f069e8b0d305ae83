package message

// The codes of what is said in notices of a turn.
const (
	Summarising         Code = "turn.summarising"
	NotSummarised       Code = "turn.not_summarised"
	Summarised          Code = "turn.summarised"
	PassesUsed          Code = "turn.passes_used"
	NoAnswer            Code = "turn.no_answer"
	SignatureRefused    Code = "turn.signature_refused"
	EffortRefused       Code = "turn.effort_refused"
	EffortPaused        Code = "turn.effort_paused"
	EffortOff           Code = "turn.effort_off"
	EffortFixed         Code = "turn.effort_fixed"
	EffortUnknown       Code = "turn.effort_unknown"
	SummaryRead         Code = "turn.summary"
	SummaryReplaced     Code = "turn.summary_replaced"
	ChangeWaits         Code = "turn.change_waits"
	RetryWaits          Code = "turn.retry_waits"
	RetryAsked          Code = "turn.retry_asked"
	ServerMissing       Code = "server.missing"
	ServerMissingWhy    Code = "server.missing_why"
	ServerAwaited       Code = "server.awaited"
	ToolsAnew           Code = "tools.anew"
	ToolsAnewSettings   Code = "tools.anew_settings"
	ToolsTold           Code = "tools.told"
	ElicitationRefused  Code = "elicitation.refused"
	ElicitationAddress  Code = "elicitation.address"
	ElicitationNoForm   Code = "elicitation.no_form"
	ElicitationUnheard  Code = "elicitation.unanswered"
	SamplingRefused     Code = "sampling.refused"
	SamplingAsks        Code = "sampling.asks"
	SamplingNoContext   Code = "sampling.no_context"
	SamplingWasAnswered Code = "sampling.answered"
)

// The codes of errors that end a turn.
const (
	AnswerCutOff        Code = "failed.cut_in_call"
	AnswerEmpty         Code = "failed.empty"
	OnlyUnknown         Code = "failed.only_unknown"
	ModelAnswered       Code = "failed.model_answered"
	ModelReported       Code = "failed.model_reported"
	ModelReportedSaying Code = "failed.model_reported_saying"
	ModelUnreachable    Code = "failed.model_unreachable"
	ModelRedirects      Code = "failed.model_redirects"
	ModelCut            Code = "failed.model_cut"
	ModelUnreadable     Code = "failed.model_unreadable"
	ModelSilent         Code = "failed.model_silent"
	ModelNone           Code = "failed.model_none"
	TurnFaulted         Code = "failed.inside"
)

// The codes of what to do about a model that did not answer.
const (
	AdviceNoKey       Code = "advice.no_key"
	AdviceKey         Code = "advice.key"
	AdviceBilling     Code = "advice.billing"
	AdviceName        Code = "advice.name"
	AdviceNameEnding  Code = "advice.name_ending"
	AdviceTooLong     Code = "advice.too_long"
	AdviceLimit       Code = "advice.limit"
	AdviceRedirect    Code = "advice.redirect"
	AdviceRequest     Code = "advice.request"
	AdviceVendor      Code = "advice.vendor"
	AdviceAgain       Code = "advice.again"
	AdviceCut         Code = "advice.cut"
	AdviceNetwork     Code = "advice.network"
	AdviceCertificate Code = "advice.certificate"
	AdviceLocal       Code = "advice.local"
	AdviceFormat      Code = "advice.format"
	AdviceWait        Code = "advice.wait"
	AdviceSlow        Code = "advice.slow"
	AdviceNoModel     Code = "advice.no_model"
	AdviceOtherWords  Code = "advice.other_words"
	AdviceStartAnew   Code = "advice.start_anew"
	AdviceClock       Code = "advice.clock"
	AdviceSecretKey   Code = "advice.secret_key"
	AdviceAWSKeys     Code = "advice.aws_keys"
	AdviceAWSKey      Code = "advice.aws_key"
	AdviceAccess      Code = "advice.access"
	AdviceProfile     Code = "advice.profile"
	AdviceNoTools     Code = "advice.no_tools"
	AdviceAWSName     Code = "advice.aws_name"
	AdviceAWSLimit    Code = "advice.aws_limit"
	AdviceQuota       Code = "advice.quota"
	AdviceAWSRequest  Code = "advice.aws_request"
)

// The codes of how a server stands that is not there.
const (
	StateDisabled  Code = "state.disabled"
	StateLocked    Code = "state.locked"
	StateInvalid   Code = "state.invalid"
	StateStarting  Code = "state.starting"
	StateConnected Code = "state.connected"
	StateReady     Code = "state.ready"
	StateNeedsAuth Code = "state.needs_auth"
	StateParked    Code = "state.parked"
	StateFailed    Code = "state.failed"
)

// The codes of what a call answers that did not run, or of which nobody knows
// whether it did.
const (
	CallNotStarted      Code = "call.not_started"
	CallNotRecorded     Code = "call.not_recorded"
	CallNotStored       Code = "call.not_stored"
	CallNotAnswered     Code = "call.not_answered"
	CallArguments       Code = "call.arguments"
	CallFaulted         Code = "call.faulted"
	CallFaultedSent     Code = "call.faulted_sent"
	CallChanged         Code = "call.changed"
	CallOtherTool       Code = "call.other_tool"
	CallRefused         Code = "call.refused"
	CallNoReply         Code = "call.no_reply"
	CallUndecided       Code = "call.undecided"
	CallNoReason        Code = "call.no_reason"
	CallNoQuestion      Code = "call.no_question"
	CallYesLost         Code = "call.yes_lost"
	CallAnswerLost      Code = "call.answer_lost"
	CallDenied          Code = "call.denied"
	CallDeniedSaying    Code = "call.denied_saying"
	CallLocked          Code = "call.locked"
	CallLockedAsked     Code = "call.locked_asked"
	CallRedefined       Code = "call.redefined"
	CallLockedInRun     Code = "call.locked_in_run"
	CallNoYes           Code = "call.no_yes"
	CallAsksAgain       Code = "call.asks_again"
	CallNotConnected    Code = "call.not_connected"
	CallNotConnectedWhy Code = "call.not_connected_why"
	CallPinned          Code = "call.pinned"
	CallEnded           Code = "call.ended"
	CallEndedInRun      Code = "call.ended_in_run"
	CallEndedInBatch    Code = "call.ended_in_batch"
	CallEndedReading    Code = "call.ended_reading"
)

// The codes of why a person is asked, and why no yes came.
const (
	AskedOwnFiles  Code = "asked.own_files"
	AskedHook      Code = "asked.hook"
	AskedHookSays  Code = "asked.hook_says"
	AskedUntrusted Code = "asked.untrusted"
	AskedTainted   Code = "asked.tainted"
	AskedSince     Code = "asked.since"
	AskedSinceOwn  Code = "asked.since_own"
	NoYesFor       Code = "asked.refused"
	NoYesOwn       Code = "asked.nobody_own"
	NoYesUntrusted Code = "asked.nobody_untrusted"
	NoYes          Code = "asked.nobody"
)

// The codes of what stops a call before a person is asked.
const (
	GuardFailed    Code = "guard.failed"
	GuardSame      Code = "guard.same"
	GuardUnwatched Code = "guard.unwatched"
	DenyGlob       Code = "deny.glob"
	HookBlocked    Code = "hook.blocked"
	HookFailed     Code = "hook.failed"
	HookUntrusted  Code = "hook.untrusted"
	HookStopped    Code = "hook.stopped"
	HookAdded      Code = "hook.added"
	HooksUnread    Code = "hook.unread"
)

// The codes of how a hook stands, and of why a yes lets nothing through.
const (
	HookNew         Code = "hookstate.new"
	HookChanged     Code = "hookstate.changed"
	HookUnusable    Code = "hookstate.unusable"
	HookUnread      Code = "hookstate.unread"
	HookOfAgent     Code = "hookstate.of_agent"
	HookMisspelt    Code = "hookstate.misspelt"
	HookLeft        Code = "hookstate.left"
	GrantEarlier    Code = "grant.earlier"
	GrantUnknown    Code = "grant.unknown"
	GrantOther      Code = "grant.other"
	GrantConnectors Code = "grant.connectors"
)

// sayings are the English sentences, one code a line; \n is a new line.
const sayings = `
turn.summarising	The conversation is long: its older part is being summarised.
turn.not_summarised	The older part could not be summarised ({0}); the conversation goes on as it is.
turn.summarised	{0} older messages were summarised (about {1} of {2} tokens left); they stay stored. The model's prompt cache for this session starts anew.
turn.passes_used	The turn was ended after {0} model passes, the most one turn may take (` + "`agent.max_turns`" + `); the model is asked for its answer.
turn.no_answer	No answer could be had: {0}
turn.signature_refused	The vendor refused the signature of the model's earlier reasoning. It is left out of requests from now on; the stored conversation is unchanged.
turn.effort_refused	The model {0} does not take the level of reasoning "{1}" here. It is left out: the model reasons as it does by itself.
turn.effort_paused	The model {0} cannot go on reasoning in the middle of calls whose reasoning is gone. The level "{1}" is left out until your next message.
turn.effort_off	The model {0} takes no tools at this address (chat completions) while it reasons. It is asked with reasoning off.
turn.effort_fixed	The model {0} always reasons: the level "{1}" cannot turn that off.
turn.effort_unknown	Nothing is known of levels of reasoning of the model {0} here: the level "{1}" is not sent.
turn.summary	{0} messages up to here are not sent to the model any more; it reads this summary:\n{1}
turn.summary_replaced	{0} messages up to here were summarised, and later the summary too.
turn.change_waits	this message was sent before a change of the configuration was shown, so the change waits on: {*0}; {*1}
turn.retry_waits	waiting {0} before the model is asked again: {*1}
turn.retry_asked	waiting {0}, as the vendor asks, before the model is asked again: {*1}
server.missing	server {0} is not ready: {*1}; going on without it
server.missing_why	server {0} is not ready: {*1} ({2}); going on without it
server.awaited	server {0} is still starting; its calls wait for it, the others go on
tools.anew	the tool list changed ({0} added, {1} changed, {2} gone); the model's prompt cache for this session starts anew
tools.anew_settings	the tool list changed (its settings); the model's prompt cache for this session starts anew
tools.told	the tool list changed ({0} added, {1} changed, {2} gone); the model is told of it in the conversation, and its prompt cache stays
elicitation.refused	server {0} wanted to ask something and was refused: {1}
elicitation.address	server {0} wanted a person to open an address; that is declined, only forms are shown
elicitation.no_form	server {0} asked for something that no form can show: {1}
elicitation.unanswered	the question of server {0} was not answered: {1}
sampling.refused	server {0} asked the model for a completion: {1}
sampling.asks	server {0} asks the model {1} for a completion ({2} messages, at most {3} tokens)
sampling.no_context	server {0} asked for the context "{1}" as well; it was given none
sampling.answered	server {0} was given a completion ({1} tokens in, {2} out)
failed.cut_in_call	the model's answer was cut off in the middle of a tool call; nothing of it was run. Ask for less at once, or raise the model's output limit
failed.empty	the model gave an empty answer; ask again
failed.only_unknown	the model asked {0} times in a row for tools that do not exist or with arguments that cannot be read; the turn was ended
failed.model_answered	the model server {0} answered {1}
failed.model_reported	the model server {0} reported an error
failed.model_reported_saying	the model server {0} reported an error: {1}
failed.model_unreachable	cannot reach the model server {0}: {1}
failed.model_redirects	the model server {0} redirects to another host
failed.model_cut	the answer of the model server {0} was cut off: {1}
failed.model_unreadable	the model server {0} sent {1}
failed.model_silent	the model server {0} sent nothing for {1}
failed.model_none	no model is chosen
failed.inside	the turn failed inside Hermes and was ended; what was stored of it stays, and the session goes on with your next message. With ` + "`HERMES_LOG=error`" + ` the log says where
advice.no_key	no key was sent: set model.api_key or {0}
advice.key	check the key in model.api_key or {0} and that it belongs to model.base_url
advice.billing	the account has no credit left; check its billing
advice.name	check model.default (the model's name) and model.base_url
advice.name_ending	check model.default (the model's name) and model.base_url (it usually ends in {0})
advice.too_long	the conversation is too long for this model: start a new one, choose a model with a larger window, or set model.context_length to what it reads so that it is summarised in time
advice.limit	the vendor limits requests; wait and try again
advice.redirect	set model.base_url to the address it redirects to; the key is not sent to another host
advice.request	the server does not take this request; check that model.default can call tools
advice.vendor	the fault is at the vendor; try again later or choose another model
advice.again	nothing of this answer was kept; send the message again
advice.cut	nothing of it was kept and nothing was run; send the message again
advice.network	check model.base_url and the network
advice.certificate	its certificate is not trusted; check model.base_url, a proxy in between, and the clock
advice.local	is the server running? Check model.base_url
advice.format	check that model.base_url is {0}
advice.wait	the vendor asks to wait {0}; try again then
advice.slow	try again later or choose a faster model
advice.no_model	set model.default or pass --model
advice.other_words	nothing of it was kept and nothing was run; ask in other words or choose another model
advice.start_anew	nothing of it was kept and nothing was run; ask in other words, start a new conversation or choose another model
advice.clock	set the clock of this computer
advice.secret_key	check the secret key of {0}
advice.aws_keys	AWS does not know the keys of {0}; check them, or choose a profile with AWS_PROFILE
advice.aws_key	check the key in {0}
advice.access	ask for access to {0} in the Bedrock console of {1}, and let the account's policy allow bedrock:InvokeModelWithResponseStream
advice.profile	this model needs an inference profile: set model.default to {0} or to the profile's ARN
advice.no_tools	this model cannot call tools; choose another one
advice.aws_name	check model.default: is {0} the id of a model that {1} has? ` + "`" + `aws bedrock list-foundation-models --region {2}` + "`" + ` lists them; another region is chosen with model.region
advice.aws_limit	AWS limits requests to this model; wait and try again, or ask for a higher quota
advice.quota	the account's quota for this model is used up; ask for a higher one
advice.aws_request	the model does not take this request; check that model.default can hold a conversation and call tools
state.disabled	disabled
state.locked	locked
state.invalid	invalid
state.starting	starting
state.connected	connected
state.ready	ready
state.needs_auth	needs auth
state.parked	parked
state.failed	failed
call.not_started	This call was not started: the turn was stopped first. Nothing was sent.
call.not_recorded	This call was not started: the turn could not be recorded. Nothing was sent.
call.not_stored	The call was sent, but its result could not be stored; whether it took effect is not known.
call.not_answered	The call was sent and the turn was stopped before an answer came; whether it took effect is not known: look before you repeat it.
call.arguments	The tool was not run: its arguments must be one valid JSON object.
call.faulted	The call failed inside Hermes before it was sent. Nothing was sent.
call.faulted_sent	The call failed inside Hermes; whether it took effect is not known.
call.changed	The tool changed while the call waited. It was not sent; look again and call it anew.
call.other_tool	A hook changed this call into a call of another tool, which it may not. Nothing was sent.
call.refused	The call was refused. It was not sent.
call.no_reply	No answer came ({0}). The call was sent; whether it took effect is not known: look before you repeat it.
call.undecided	Nobody decided about this call. It was not sent.
call.no_reason	Nobody knows why a person is asked about this call. It was not sent.
call.no_question	Nobody knows what a person is asked about. The call was not sent.
call.yes_lost	The decision to let this call run could not be recorded, so it was not sent.
call.answer_lost	A person allowed this call, but the answer could not be recorded, so it was not sent.
call.denied	A person denied this call.\nIt was not sent. Do not try it again or another way round, unless you are asked to.
call.denied_saying	A person denied this call and said: {0}\nIt was not sent. Do not try it again or another way round, unless you are asked to.
call.locked	the tool was locked before this call was sent; nothing was sent
call.locked_asked	the tool was locked while a person was asked: {0}; nothing was sent
call.redefined	the server changed the tool before this call was sent; nothing was sent
call.locked_in_run	cancelled: the tool was locked while it ran
call.no_yes	A person has to approve this call ({*0}). {*1} The call was not sent; do not retry it.
call.asks_again	A person has to approve this call ({*0}). {*1} The call was not sent. Make the same call again, so that a person is asked.
call.not_connected	its server is not connected
call.not_connected_why	its server is not connected: {0}
call.pinned	its definition is not the one that was accepted
call.ended	This call was not started: the program ended first. Nothing was sent.
call.ended_in_run	The program ended while this call ran. It was sent; whether it took effect is not known: look before you repeat it.
call.ended_in_batch	The program ended while this batch ran. Its entries are sent one after another: the first may have taken effect, the last may never have been sent, and which is not known. Look before you repeat any of them.
call.ended_reading	The program ended while this call ran. Its result is not known; it only reads, so it may be repeated.
asked.own_files	its arguments name files of Hermes itself: {0}
asked.hook	a hook wants a person to decide
asked.hook_says	a hook wants a person to decide: {0}
asked.untrusted	{0}the server "{1}" is not trusted, so a person approves its tools
asked.tainted	this conversation holds a result of the untrusted server "{0}", and this tool may change things or reach outside
asked.since	What the call meets changed while it waited, and nobody was asked about that.
asked.since_own	When the call was judged, its arguments named no such file.
asked.refused	It was refused: {0}.
asked.nobody_own	It was refused: {0}. A person asks again where approvals can be answered (the window, the page, a terminal).
asked.nobody_untrusted	It was refused: {0}. A person asks again where approvals can be answered (the window, the page, a terminal), writes {1}, or starts Hermes with --yolo.
asked.nobody	It was refused: {0}. A person asks again where approvals can be answered (the window, the page, a terminal) or starts Hermes with --yolo.
guard.failed	This very call failed {0} times in this turn. It was not sent again: change the arguments, or try another way.
guard.same	This very call gave the same result {0} times and nothing changed in between. It was not sent again: use the result you have, or try another way.
guard.unwatched	Nothing watches this turn, so nothing may run. The call was not sent.
deny.glob	{0}approvals.deny "{1}" forbids this call (it matches {2}), whatever --yolo says. The call was not sent; do not retry it.
hook.blocked	The {0} blocked this call: {1}
hook.failed	The {0} failed closed: {1}. The call was not sent. Do not retry it unchanged; a person looks after the hook.
hook.untrusted	The {0} decides about this call and {*1}. The call was not sent. Do not retry it: a person types ` + "`hermes hooks trust`" + ` after a look at the hook, or removes it.
hook.stopped	The turn was stopped while the {0} was asked. The call was not sent.
hook.added	A hook that was added while this call waited changes its arguments. The call was not sent. Make the same call again, so that the changed one is judged.
hook.unread	The hooks were not read, so nothing may run. The call was not sent.
hookstate.new	has nobody's consent yet
hookstate.changed	is not what was trusted: {0} is another file now
hookstate.unusable	cannot be run: {0}
hookstate.unread	is not trusted: {0}
hookstate.of_agent	not run here: of this event Hermes Agent alone knows
hookstate.misspelt	not run: no Hermes knows this event; did you mean {0}?
hookstate.left	trusted, but not in the file any more; ` + "`hermes hooks revoke`" + ` forgets it
grant.earlier	it is of an earlier Hermes, which did not look at the whole connection; you are asked again
grant.unknown	it is not known what connection it is for; you are asked again
grant.other	the server is started or contacted in another way now (program, arguments, variables, folders, address or headers)
grant.connectors	the connectors have another address or another token now
`
