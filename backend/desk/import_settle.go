package desk

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"hermes/backend/config"
	"hermes/backend/view"
)

// settle finds the steps that the file can take. Most times it takes all of
// them at once; where it does not, every server is tried on its own after those
// that went before, so that one which cannot be written touches no other.
func (i *Import) settle() error {
	all := slices.Concat(i.steps...)
	if len(all) == 0 {
		return nil
	}
	if i.try(all) == nil && i.complete() {
		return nil
	}
	// Whatever is wrong with the file itself is no server's fault.
	if err := i.try(nil); err != nil {
		return err
	}
	var taken []config.Step
	for n := range i.steps {
		if len(i.steps[n]) == 0 {
			continue
		}
		err := i.try(slices.Concat(taken, i.steps[n]))
		var conflict *config.Conflict
		if errors.As(err, &conflict) {
			return err
		}
		v := &i.preview.Servers[n]
		if err == nil {
			if _, ok := i.expected.Server(v.As); !ok {
				err = errors.New("its entry cannot be written as it is")
			}
		}
		if err != nil {
			*v, i.steps[n] = stop(*v, view.ImportRefuse, reason(err)), nil
			v.Entry, v.Variables = "", []string{}
			continue
		}
		taken = append(taken, i.steps[n]...)
	}
	i.forget()
	if len(taken) == 0 {
		i.change.Steps = nil
		return nil
	}
	return i.try(taken)
}

// try asks the configuration what steps would bring.
func (i *Import) try(steps []config.Step) error {
	i.change.Steps = steps
	expected, err := i.host.Preview(i.change, i.variables)
	if err == nil {
		i.expected = expected
	}
	return err
}

// complete tells whether every server with steps would be there.
func (i *Import) complete() bool {
	for n, v := range i.preview.Servers {
		if _, ok := i.expected.Server(v.As); !ok && len(i.steps[n]) > 0 {
			return false
		}
	}
	return true
}

// forget drops the secrets that no server refers to any more. Two servers with
// the same secret share its variable, whoever of them brought it.
func (i *Import) forget() {
	maps.DeleteFunc(i.variables, func(name, _ string) bool {
		return !slices.ContainsFunc(i.preview.Servers, func(v view.ImportServer) bool { return strings.Contains(v.Entry, "${"+name+"}") })
	})
}

// reason says why one server cannot be written, with the hint of the failure.
func reason(err error) string {
	shown := ErrorView(err)
	if shown.Hint == "" {
		return shown.Message
	}
	return shown.Message + "; " + shown.Hint
}
