package config

import "strings"

// The providers a Model can have.
const (
	ProviderOpenAI    = "openai"
	ProviderAnthropic = "anthropic"
	ProviderBedrock   = "bedrock"
	ProviderDemo      = "demo"
)

// vendor is what a provider's name of Python Hermes stands for. provider is the
// way to speak to it, empty for one that this program cannot use: then login
// says why. keys are the variables that hold its key, the first that is set
// counts; urlKey is the variable that moves its address. keyless needs no key;
// bearer sends it as a token.
type vendor struct {
	name     string
	provider string
	baseURL  string
	keys     []string
	urlKey   string
	keyless  bool
	bearer   bool
	login    string
	// asked is the variable to name where none of keys is set, keys[0] if empty.
	asked string
}

// anthropicToken is the variable of Anthropic's own programs for a token that is
// no API key.
const anthropicToken = "ANTHROPIC_AUTH_TOKEN"

// anthropicKeys are the variables of Anthropic, in the order in which Hermes Agent
// reads those it knows: tokens of a subscription before keys.
func anthropicKeys() []string {
	return []string{"ANTHROPIC_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY", anthropicToken}
}

// canonical gives the one spelling of a provider's name.
func canonical(name string) string {
	s := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-"), " ", "-")
	switch s {
	case "openai-api", "open-ai":
		return "openai"
	case "claude":
		return "anthropic"
	case "aws", "aws-bedrock", "amazon-bedrock", "amazon":
		return "bedrock"
	case "open-router":
		return "openrouter"
	case "google", "google-gemini", "google-ai-studio":
		return "gemini"
	case "glm", "z-ai", "z.ai", "zhipu":
		return "zai"
	case "kimi", "moonshot", "kimi-for-coding":
		return "kimi-coding"
	case "grok", "x-ai", "x.ai":
		return "xai"
	case "hf", "hugging-face", "huggingface-hub":
		return "huggingface"
	case "qwen", "dashscope", "aliyun", "alibaba-cloud":
		return "alibaba"
	case "deep-seek":
		return "deepseek"
	case "lm-studio":
		return "lmstudio"
	case "vllm", "llamacpp", "llama.cpp", "llama-cpp", "local":
		return "custom"
	case "nim", "nvidia-nim":
		return "nvidia"
	case "github-copilot":
		return "copilot"
	case "azure":
		return "azure-foundry"
	}
	return s
}

// vendorNamed gives what a provider's name stands for.
func vendorNamed(name string) (vendor, bool) {
	name = canonical(name)
	local := func(baseURL, urlKey string, keys ...string) (vendor, bool) {
		return vendor{name: name, provider: ProviderOpenAI, baseURL: baseURL, keys: keys, urlKey: urlKey, keyless: true}, true
	}
	minimax := func(baseURL, urlKey, key string) (vendor, bool) {
		return vendor{name: name, provider: ProviderAnthropic, baseURL: baseURL, keys: []string{key}, urlKey: urlKey, bearer: true}, true
	}
	switch name {
	case "anthropic":
		return vendor{name: name, provider: ProviderAnthropic, baseURL: "https://api.anthropic.com", keys: anthropicKeys(), asked: "ANTHROPIC_API_KEY", urlKey: "ANTHROPIC_BASE_URL"}, true
	case "minimax":
		return minimax("https://api.minimax.io/anthropic", "MINIMAX_BASE_URL", "MINIMAX_API_KEY")
	case "minimax-cn":
		return minimax("https://api.minimaxi.com/anthropic", "MINIMAX_CN_BASE_URL", "MINIMAX_CN_API_KEY")
	case "bedrock":
		return vendor{name: name, provider: ProviderBedrock, urlKey: "BEDROCK_BASE_URL", keys: []string{"AWS_BEARER_TOKEN_BEDROCK"}, keyless: true}, true
	case "demo":
		return vendor{name: name, provider: ProviderDemo, keyless: true}, true
	case "custom":
		return local("", "")
	case "ollama":
		return local("http://127.0.0.1:11434/v1", "")
	case "lmstudio":
		return local("http://127.0.0.1:1234/v1", "LM_BASE_URL", "LM_API_KEY")
	case "openai-codex", "xai-oauth", "qwen-oauth", "minimax-oauth", "copilot", "copilot-acp", "vertex":
		return vendor{name: name, login: "it signs in through a browser or a program of its own"}, true
	}
	return compatibleVendor(name)
}

// compatibleVendor gives the vendors that speak the form of OpenAI over the
// network.
func compatibleVendor(name string) (vendor, bool) {
	compatible := func(baseURL, urlKey string, keys ...string) (vendor, bool) {
		return vendor{name: name, provider: ProviderOpenAI, baseURL: baseURL, keys: keys, urlKey: urlKey}, true
	}
	switch name {
	case "openai":
		return compatible("https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY")
	case "openrouter":
		return compatible("https://openrouter.ai/api/v1", "OPENROUTER_BASE_URL", "OPENROUTER_API_KEY")
	case "nous":
		return compatible("https://inference-api.nousresearch.com/v1", "", "NOUS_API_KEY")
	case "gemini":
		return compatible("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_BASE_URL", "GOOGLE_API_KEY", "GEMINI_API_KEY")
	case "zai":
		return compatible("https://api.z.ai/api/paas/v4", "GLM_BASE_URL", "GLM_API_KEY", "ZAI_API_KEY", "Z_AI_API_KEY")
	case "kimi-coding":
		return compatible("https://api.moonshot.ai/v1", "KIMI_BASE_URL", "KIMI_API_KEY", "KIMI_CODING_API_KEY")
	case "kimi-coding-cn":
		return compatible("https://api.moonshot.cn/v1", "", "KIMI_CN_API_KEY")
	case "stepfun":
		return compatible("https://api.stepfun.ai/step_plan/v1", "STEPFUN_BASE_URL", "STEPFUN_API_KEY")
	case "arcee":
		return compatible("https://api.arcee.ai/api/v1", "ARCEE_BASE_URL", "ARCEEAI_API_KEY")
	case "gmi":
		return compatible("https://api.gmi-serving.com/v1", "GMI_BASE_URL", "GMI_API_KEY")
	case "alibaba":
		return compatible("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_BASE_URL", "DASHSCOPE_API_KEY")
	case "alibaba-coding-plan":
		return compatible("https://coding-intl.dashscope.aliyuncs.com/v1", "ALIBABA_CODING_PLAN_BASE_URL", "ALIBABA_CODING_PLAN_API_KEY", "DASHSCOPE_API_KEY")
	case "deepseek":
		return compatible("https://api.deepseek.com/v1", "DEEPSEEK_BASE_URL", "DEEPSEEK_API_KEY")
	case "xai":
		return compatible("https://api.x.ai/v1", "XAI_BASE_URL", "XAI_API_KEY")
	case "nvidia":
		return compatible("https://integrate.api.nvidia.com/v1", "NVIDIA_BASE_URL", "NVIDIA_API_KEY")
	case "ai-gateway":
		return compatible("https://ai-gateway.vercel.sh/v1", "AI_GATEWAY_BASE_URL", "AI_GATEWAY_API_KEY")
	case "opencode-zen":
		return compatible("https://opencode.ai/zen/v1", "OPENCODE_ZEN_BASE_URL", "OPENCODE_ZEN_API_KEY")
	case "opencode-go":
		return compatible("https://opencode.ai/zen/go/v1", "OPENCODE_GO_BASE_URL", "OPENCODE_GO_API_KEY")
	case "kilocode":
		return compatible("https://api.kilo.ai/api/gateway", "KILOCODE_BASE_URL", "KILOCODE_API_KEY")
	case "huggingface":
		return compatible("https://router.huggingface.co/v1", "HF_BASE_URL", "HF_TOKEN")
	case "xiaomi":
		return compatible("https://api.xiaomimimo.com/v1", "XIAOMI_BASE_URL", "XIAOMI_API_KEY")
	case "ollama-cloud":
		return compatible("https://ollama.com/v1", "OLLAMA_BASE_URL", "OLLAMA_API_KEY")
	case "groq":
		return compatible("https://api.groq.com/openai/v1", "", "GROQ_API_KEY")
	case "mistral":
		return compatible("https://api.mistral.ai/v1", "", "MISTRAL_API_KEY")
	case "azure-foundry":
		return compatible("", "AZURE_FOUNDRY_BASE_URL", "AZURE_FOUNDRY_API_KEY")
	}
	return vendor{}, false
}
