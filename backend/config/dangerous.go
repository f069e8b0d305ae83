package config

import (
	"runtime"
	"strings"
)

// DangerousVariable tells an environment variable that makes programs which
// know nothing of it load or run foreign code, such as LD_PRELOAD and
// NODE_OPTIONS. They are refused where an entry comes from somebody else and
// reported in a person's own file. Folders where a language looks for its
// modules, such as PYTHONPATH, are not among them: honest entries need them, and
// they change only what the program asks for by name.
func DangerousVariable(name string) bool {
	if strings.HasPrefix(strings.ToLower(name), "npm_config_") {
		// npm reads its settings in any case.
		switch strings.ReplaceAll(strings.ToLower(name[len("npm_config_"):]), "-", "_") {
		case "script_shell", "shell", "node_options", "git", "userconfig", "globalconfig", "init_module":
			return true
		}
		return false
	}
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
	}
	for _, prefix := range []string{"LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG", "CORECLR_PROFILER", "COR_PROFILER"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	switch name {
	case "NODE_OPTIONS", "NODE_REPL_EXTERNAL_MODULE", "BUN_OPTIONS", "ELECTRON_RUN_AS_NODE",
		"PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "PYTHONBREAKPOINT", "PYTHONWARNINGS",
		"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4", "IFS", "ZDOTDIR",
		"PERL5OPT", "PERL5DB", "RUBYOPT", "LUA_INIT", "PHPRC", "PHP_INI_SCAN_DIR",
		"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "DOTNET_STARTUP_HOOKS",
		"GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "GIT_EXEC_PATH",
		"GIT_TEMPLATE_DIR", "SSH_ASKPASS", "GCONV_PATH", "GLIBC_TUNABLES", "RES_OPTIONS", "HOSTALIASES", "OPENSSL_CONF", "OPENSSL_MODULES":
		return true
	}
	return false
}
