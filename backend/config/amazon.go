package config

// Amazon is where an Amazon account is looked for: the region the file names,
// empty for none, and the environment with `.env` before it.
type Amazon struct {
	Region   string
	Variable func(name string) (string, bool)
}

// ResolveAmazon gives what Bedrock needs beside the Model: `model.region`, or
// `bedrock.region` as Python Hermes writes it. getenv replaces the process's
// environment; nil keeps it. The error is a *Refused that names the variable
// that is missing.
func (s *Snapshot) ResolveAmazon(getenv func(string) string) (Amazon, error) {
	scope := *s.scope
	if getenv != nil {
		scope.getenv = getenv
	}
	region, unset := scope.expand(s.Settings.Model.Region)
	if len(unset) > 0 {
		return Amazon{}, unsetError(scope.home, unset)
	}
	return Amazon{Region: region, Variable: scope.variable}, nil
}
