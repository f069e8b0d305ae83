package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"hermes/backend/message"
)

// Environment is where hooks run. Home is what ~ stands for, Path the folders
// where programs are looked for, Dir the absolute folder they run in, Profile the
// name of the home's profile, empty for the default one.
type Environment struct {
	Home, Path, Dir, Profile string
}

// Program is one run of a hook as whoever starts processes needs it. Limit is
// its time; MaxOutput and MaxErrors bound, in bytes, what is taken of what it
// writes. Path is what is started, for the time of the run alone; Name is what
// the program is to be called, as its own first word.
type Program struct {
	Event                string
	Path, Name           string
	Args                 []string
	Dir                  string
	Input                []byte
	Limit                time.Duration
	MaxOutput, MaxErrors int
}

// Ended is how a Program ended. Code is its exit code, -1 where a signal ended
// it. Late tells that its time was over, Long that it wrote too much.
type Ended struct {
	Output, Errors []byte
	Code           int
	Late, Long     bool
}

// Starter starts programs. It ends whatever a program leaves behind, and returns
// when nothing of it runs. The error is that of one that did not start, or of
// ctx. A plug-in of another kind (a WebAssembly module) speaks the same words
// over the same pipes, so it is a Starter's business as well.
type Starter interface {
	Run(ctx context.Context, p Program) (Ended, error)
}

// Options are what a Runner knows of its home.
type Options struct {
	// Rules are the hooks of the file, in its order.
	Rules    []Rule
	Consents Consents
	// Starter starts them; nil for one that fails.
	Starter     Starter
	Environment Environment
	// Clean takes secrets out of a hook's words; nil leaves them.
	Clean func(string) string
	// Observers run the hooks that only watch; nil for none.
	Observers *Observers
	Logger    *slog.Logger
}

// Runner asks the hooks of a home about calls and tells them what became of
// them. The zero value blocks every call: a home whose hooks were not read is
// not a home without hooks. It is safe for concurrent use.
type Runner struct {
	set     set
	options Options
}

// New builds a Runner.
func New(o Options) *Runner {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Clean == nil {
		o.Clean = func(text string) string { return text }
	}
	return &Runner{set: compile(o.Rules), options: o}
}

// maxOutput bounds, in bytes, what a hook may write to standard output.
const maxOutput = 1 << 20

// Before asks the pre_tool_call hooks that match a call, one after the other in
// the order of the file, and returns when all have answered or one has blocked.
// Each is given the arguments as the ones before it left them. A hook that is
// not trusted blocks; one that fails blocks unless its rule says otherwise.
func (r *Runner) Before(ctx context.Context, call Call) Verdict {
	if !r.set.known {
		return blocked(message.HooksUnread.Text())
	}
	verdict := Verdict{Decision: Allow}
	for _, rule := range r.set.rules {
		if rule.Event != EventPreToolCall || !rule.matches(call.Public, call.Plain) {
			continue
		}
		said := r.ask(ctx, rule, call)
		switch said.Decision {
		case Block:
			return said
		case Ask:
			verdict = verdict.and(said)
		}
		if said.Arguments != nil {
			call.Arguments, verdict.Arguments = said.Arguments, said.Arguments
		}
	}
	return verdict
}

// and is a verdict that asks also where another hook asks: a yes is for what all
// of them say, and for good only where each names its rule.
func (v Verdict) and(said Verdict) Verdict {
	if v.Decision != Ask {
		v.Decision, v.Reason, v.RuleKey = Ask, said.Reason, said.RuleKey
		return v
	}
	v.Reason += "; " + said.Reason
	if v.RuleKey == "" || said.RuleKey == "" {
		v.RuleKey = ""
	} else {
		v.RuleKey += "\n" + said.RuleKey
	}
	return v
}

// notSent ends the words of a call that is blocked.
const notSent = "The call was not sent."

func blocked(reason string) Verdict { return Verdict{Decision: Block, Reason: reason} }

// ask is one hook's answer to one call.
func (r *Runner) ask(ctx context.Context, rule compiled, call Call) Verdict {
	verdict, trial := r.try(ctx, rule, call)
	if trial.Failure != "" {
		r.options.Logger.Warn("a hook failed", "hook", rule.name(), "why", trial.Failure, "decision", verdict.Decision.String())
	}
	return verdict
}

// Trial is one run of one hook as a person looks at it. Failure says why it gave
// no answer, empty where it did; Took is how long it ran. Code is its exit code;
// Ran is false for a hook that was not started.
type Trial struct {
	Ran            bool
	Code           int
	Took           time.Duration
	Output, Errors string
	Failure        string
}

func (r *Runner) try(ctx context.Context, rule compiled, call Call) (Verdict, Trial) {
	if rule.fault != nil {
		return blocked(fmt.Sprintf("%s. %s A person mends the matcher.", rule.broken(), notSent)), Trial{}
	}
	if err := onlyOnce(call.Arguments); len(call.Arguments) > 0 && err != nil {
		return blocked(fmt.Sprintf("The arguments cannot be shown to the %s without doubt: %v. %s", rule.name(), err, notSent)), Trial{}
	}
	command, trust := r.trusted(rule.Rule)
	defer command.close()
	if trust.State != Trusted {
		return blocked(message.HookUntrusted.Text(rule.name(), trust.Reason)), Trial{}
	}
	ended, trial := r.run(ctx, rule, command, newPayload(rule.Event, r.options.Environment, call))
	if ctx.Err() != nil {
		return blocked(message.HookStopped.Text(rule.name())), trial
	}
	verdict, failure := r.judge(rule, ended, trial.Failure, call)
	trial.Failure = failure
	return verdict, trial
}

// codeTouched stands for the exit code of a hook whose answer counts for nothing.
const codeTouched = -2

// run starts a hook with what it is to know. A file of it that was touched since
// it was checked is a failure that no rule forgives.
func (r *Runner) run(ctx context.Context, rule compiled, command resolved, p payload) (Ended, Trial) {
	input, err := json.Marshal(p)
	if err != nil {
		return Ended{}, Trial{Failure: "what it would be told cannot be written: " + err.Error()}
	}
	if r.options.Starter == nil {
		return Ended{}, Trial{Failure: "nothing here starts programs"}
	}
	ready, err := command.lay(r.options.Consents.Folder)
	if err != nil {
		return Ended{}, Trial{Failure: err.Error()}
	}
	defer ready.remove()
	began := time.Now()
	ended, err := r.options.Starter.Run(ctx, Program{
		Event: rule.Event, Path: ready.path, Name: command.name, Args: ready.args, Dir: r.options.Environment.Dir, Input: append(input, '\n'),
		Limit: rule.limit(), MaxOutput: maxOutput, MaxErrors: 4 * maxReason,
	})
	trial := Trial{Ran: err == nil, Code: ended.Code, Took: time.Since(began), Output: r.options.Clean(string(ended.Output)), Errors: r.options.Clean(string(ended.Errors))}
	switch path := or(command.touched(), ready.touched()); {
	case path != "":
		trial.Failure = path + " was changed while it ran"
		ended.Code, ended.Output = codeTouched, nil
	case err != nil:
		trial.Failure = "it did not start: " + err.Error()
	case ended.Late:
		trial.Failure = fmt.Sprintf("it gave no answer within %s and was ended", rule.limit())
	case ended.Long:
		trial.Failure = fmt.Sprintf("it wrote more than %d bytes and was ended", maxOutput)
	case ended.Code == -1:
		trial.Failure = "it was killed"
	}
	return ended, trial
}

// judge makes a verdict of how a hook ended. failure is why there is no answer,
// and is given back, or what is found to be wrong with the answer.
func (r *Runner) judge(rule compiled, ended Ended, failure string, call Call) (Verdict, string) {
	// Cleaned before it is cut: nobody knows a secret by a piece of it.
	words := func(reason string) string { return cut(r.options.Clean(reason), maxReason) }
	errs := r.options.Clean(string(ended.Errors))
	deny := func(reason string) Verdict { return blocked(message.HookBlocked.Text(rule.name(), words(reason))) }
	if failure == "" && ended.Code == 2 {
		return deny(exitReason(ended.Output, errs)), ""
	}
	var said answer
	if failure == "" {
		var err error
		if said, err = readAnswer(ended.Output); err != nil {
			failure = err.Error()
		} else if said.decision == Block {
			return deny(or(said.reason, fixedBlock)), ""
		}
	}
	if failure == "" && ended.Code != 0 {
		failure = fmt.Sprintf("it ended with the exit code %d", ended.Code)
		if why := exitReason(nil, errs); why != fixedBlock {
			failure += ": " + why
		}
	}
	open := rule.FailOpen && ended.Code != codeTouched
	if failure != "" && !open {
		return blocked(message.HookFailed.Text(rule.name(), r.options.Clean(failure))), failure
	}
	verdict := Verdict{Decision: Allow}
	if said.decision == Ask {
		verdict = Verdict{Decision: Ask, Reason: fmt.Sprintf("The %s wants a person to be asked", rule.name()), RuleKey: said.ruleKey}
		if said.reason != "" {
			verdict.Reason += ": " + words(said.reason)
		}
	}
	if len(said.changes) > 0 {
		merged, err := merge(call.Arguments, said.changes)
		if err != nil {
			return blocked(fmt.Sprintf("The %s failed closed: its change does not fit the arguments: %v. %s", rule.name(), err, notSent)), err.Error()
		}
		verdict.Arguments = merged
	}
	return verdict, failure
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
