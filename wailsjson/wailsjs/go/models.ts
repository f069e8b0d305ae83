export namespace view {
	
	export class AcceptChanges {
	    server: string;
	    tools: string[];
	    now: Record<string, string>;
	
	    static createFrom(source: any = {}) {
	        return new AcceptChanges(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.server = source["server"];
	        this.tools = source["tools"];
	        this.now = source["now"];
	    }
	}
	export class AnswerChoice {
	    call: string;
	    allow: boolean;
	    scope: string;
	    reason: string;
	
	    static createFrom(source: any = {}) {
	        return new AnswerChoice(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.call = source["call"];
	        this.allow = source["allow"];
	        this.scope = source["scope"];
	        this.reason = source["reason"];
	    }
	}
	export class Answer {
	    id: string;
	    action: string;
	    content: string;
	    choices: AnswerChoice[];
	
	    static createFrom(source: any = {}) {
	        return new Answer(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.action = source["action"];
	        this.content = source["content"];
	        this.choices = this.convertValues(source["choices"], AnswerChoice);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	export class Answered {
	    id: string;
	    accepted: boolean;
	
	    static createFrom(source: any = {}) {
	        return new Answered(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.accepted = source["accepted"];
	    }
	}
	export class ObsoleteText {
	    file: string;
	    line: number;
	    text: string;
	
	    static createFrom(source: any = {}) {
	        return new ObsoleteText(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.file = source["file"];
	        this.line = source["line"];
	        this.text = source["text"];
	    }
	}
	export class ArrivalProgram {
	    path: string;
	    kind: string;
	
	    static createFrom(source: any = {}) {
	        return new ArrivalProgram(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.path = source["path"];
	        this.kind = source["kind"];
	    }
	}
	export class AuditItem {
	    level: string;
	    code: string;
	    params: string[];
	    server: string;
	    message: string;
	    hint: string;
	    file: string;
	    line: number;
	    column: number;
	
	    static createFrom(source: any = {}) {
	        return new AuditItem(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.level = source["level"];
	        this.code = source["code"];
	        this.params = source["params"];
	        this.server = source["server"];
	        this.message = source["message"];
	        this.hint = source["hint"];
	        this.file = source["file"];
	        this.line = source["line"];
	        this.column = source["column"];
	    }
	}
	export class Words {
	    code: string;
	    params: string[];
	    text: string;
	
	    static createFrom(source: any = {}) {
	        return new Words(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.code = source["code"];
	        this.params = source["params"];
	        this.text = source["text"];
	    }
	}
	export class ArrivalServer {
	    server: string;
	    code: string;
	    before: Words;
	    now: Words;
	    fix: Words;
	    file: string;
	    line: number;
	    column: number;
	
	    static createFrom(source: any = {}) {
	        return new ArrivalServer(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.server = source["server"];
	        this.code = source["code"];
	        this.before = this.convertValues(source["before"], Words);
	        this.now = this.convertValues(source["now"], Words);
	        this.fix = this.convertValues(source["fix"], Words);
	        this.file = source["file"];
	        this.line = source["line"];
	        this.column = source["column"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Problem {
	    severity: string;
	    code: string;
	    params: string[];
	    message: string;
	    hint: string;
	    file: string;
	    line: number;
	    column: number;
	
	    static createFrom(source: any = {}) {
	        return new Problem(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.severity = source["severity"];
	        this.code = source["code"];
	        this.params = source["params"];
	        this.message = source["message"];
	        this.hint = source["hint"];
	        this.file = source["file"];
	        this.line = source["line"];
	        this.column = source["column"];
	    }
	}
	export class Config {
	    path: string;
	    revision: string;
	    problems: Problem[];
	
	    static createFrom(source: any = {}) {
	        return new Config(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.path = source["path"];
	        this.revision = source["revision"];
	        this.problems = this.convertValues(source["problems"], Problem);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Arrival {
	    config: Config;
	    quiet: boolean;
	    servers: ArrivalServer[];
	    honoured: Problem[];
	    evidence: AuditItem[];
	    foreign_keys: number;
	    foreign_sections: string[];
	    programs: ArrivalProgram[];
	    obsolete: ObsoleteText[];
	    unchecked: string[];
	
	    static createFrom(source: any = {}) {
	        return new Arrival(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.config = this.convertValues(source["config"], Config);
	        this.quiet = source["quiet"];
	        this.servers = this.convertValues(source["servers"], ArrivalServer);
	        this.honoured = this.convertValues(source["honoured"], Problem);
	        this.evidence = this.convertValues(source["evidence"], AuditItem);
	        this.foreign_keys = source["foreign_keys"];
	        this.foreign_sections = source["foreign_sections"];
	        this.programs = this.convertValues(source["programs"], ArrivalProgram);
	        this.obsolete = this.convertValues(source["obsolete"], ObsoleteText);
	        this.unchecked = source["unchecked"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	
	export class AuditServer {
	    name: string;
	    transport: string;
	    target: string;
	    status: string;
	    reason: string;
	    state: string;
	    held: boolean;
	    words: Words;
	    line: number;
	
	    static createFrom(source: any = {}) {
	        return new AuditServer(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.name = source["name"];
	        this.transport = source["transport"];
	        this.target = source["target"];
	        this.status = source["status"];
	        this.reason = source["reason"];
	        this.state = source["state"];
	        this.held = source["held"];
	        this.words = this.convertValues(source["words"], Words);
	        this.line = source["line"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Audit {
	    config: Config;
	    ok: boolean;
	    strict: boolean;
	    servers: AuditServer[];
	    findings: AuditItem[];
	    notes: AuditItem[];
	    unchecked: string[];
	
	    static createFrom(source: any = {}) {
	        return new Audit(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.config = this.convertValues(source["config"], Config);
	        this.ok = source["ok"];
	        this.strict = source["strict"];
	        this.servers = this.convertValues(source["servers"], AuditServer);
	        this.findings = this.convertValues(source["findings"], AuditItem);
	        this.notes = this.convertValues(source["notes"], AuditItem);
	        this.unchecked = source["unchecked"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	
	export class CatalogProblem {
	    kind: string;
	    name: string;
	    message: string;
	    hint: string;
	    file: string;
	    line: number;
	
	    static createFrom(source: any = {}) {
	        return new CatalogProblem(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.kind = source["kind"];
	        this.name = source["name"];
	        this.message = source["message"];
	        this.hint = source["hint"];
	        this.file = source["file"];
	        this.line = source["line"];
	    }
	}
	export class CatalogVariable {
	    name: string;
	    prompt: string;
	    required: boolean;
	    secret: boolean;
	    default: string;
	    set: boolean;
	
	    static createFrom(source: any = {}) {
	        return new CatalogVariable(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.name = source["name"];
	        this.prompt = source["prompt"];
	        this.required = source["required"];
	        this.secret = source["secret"];
	        this.default = source["default"];
	        this.set = source["set"];
	    }
	}
	export class CatalogRow {
	    name: string;
	    status: string;
	    status_text: string;
	    description: string;
	    source: string;
	    origin: string;
	    outside: boolean;
	    commands: string[];
	    auth: string;
	    variables: CatalogVariable[];
	    packages: string[];
	
	    static createFrom(source: any = {}) {
	        return new CatalogRow(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.name = source["name"];
	        this.status = source["status"];
	        this.status_text = source["status_text"];
	        this.description = source["description"];
	        this.source = source["source"];
	        this.origin = source["origin"];
	        this.outside = source["outside"];
	        this.commands = source["commands"];
	        this.auth = source["auth"];
	        this.variables = this.convertValues(source["variables"], CatalogVariable);
	        this.packages = source["packages"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Catalog {
	    config: Config;
	    rows: CatalogRow[];
	    problems: CatalogProblem[];
	
	    static createFrom(source: any = {}) {
	        return new Catalog(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.config = this.convertValues(source["config"], Config);
	        this.rows = this.convertValues(source["rows"], CatalogRow);
	        this.problems = this.convertValues(source["problems"], CatalogProblem);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	
	
	export class ChangeLine {
	    kind: string;
	    text: string;
	
	    static createFrom(source: any = {}) {
	        return new ChangeLine(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.kind = source["kind"];
	        this.text = source["text"];
	    }
	}
	export class ToolChange {
	    tool: string;
	    seen: string;
	    now: string;
	    since: string;
	    hidden: boolean;
	    lines: ChangeLine[];
	
	    static createFrom(source: any = {}) {
	        return new ToolChange(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.tool = source["tool"];
	        this.seen = source["seen"];
	        this.now = source["now"];
	        this.since = source["since"];
	        this.hidden = source["hidden"];
	        this.lines = this.convertValues(source["lines"], ChangeLine);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class ServerChanges {
	    server: string;
	    tools: ToolChange[];
	    new: string[];
	
	    static createFrom(source: any = {}) {
	        return new ServerChanges(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.server = source["server"];
	        this.tools = this.convertValues(source["tools"], ToolChange);
	        this.new = source["new"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Changes {
	    servers: ServerChanges[];
	
	    static createFrom(source: any = {}) {
	        return new Changes(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.servers = this.convertValues(source["servers"], ServerChanges);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class ChatCall {
	    id: string;
	    name: string;
	    server: string;
	    tool: string;
	    arguments: string;
	
	    static createFrom(source: any = {}) {
	        return new ChatCall(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.name = source["name"];
	        this.server = source["server"];
	        this.tool = source["tool"];
	        this.arguments = source["arguments"];
	    }
	}
	export class Usage {
	    input_tokens: number;
	    output_tokens: number;
	    cache_read_tokens: number;
	    cache_write_tokens: number;
	    cost_usd?: number;
	
	    static createFrom(source: any = {}) {
	        return new Usage(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.input_tokens = source["input_tokens"];
	        this.output_tokens = source["output_tokens"];
	        this.cache_read_tokens = source["cache_read_tokens"];
	        this.cache_write_tokens = source["cache_write_tokens"];
	        this.cost_usd = source["cost_usd"];
	    }
	}
	export class ChatEvent {
	    type: string;
	    session?: string;
	    text?: string;
	    said?: Words[];
	    provisional?: boolean;
	    id?: string;
	    name?: string;
	    server?: string;
	    tool?: string;
	    arguments?: string;
	    status?: string;
	    progress?: number;
	    total?: number;
	    content?: string;
	    truncated?: boolean;
	    size?: number;
	    messages?: number;
	    model_passes?: number;
	    tool_calls?: number;
	    stop_reason?: string;
	    question?: string;
	    calls?: ChatCall[];
	    settled?: boolean;
	    usage?: Usage;
	
	    static createFrom(source: any = {}) {
	        return new ChatEvent(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.type = source["type"];
	        this.session = source["session"];
	        this.text = source["text"];
	        this.said = this.convertValues(source["said"], Words);
	        this.provisional = source["provisional"];
	        this.id = source["id"];
	        this.name = source["name"];
	        this.server = source["server"];
	        this.tool = source["tool"];
	        this.arguments = source["arguments"];
	        this.status = source["status"];
	        this.progress = source["progress"];
	        this.total = source["total"];
	        this.content = source["content"];
	        this.truncated = source["truncated"];
	        this.size = source["size"];
	        this.messages = source["messages"];
	        this.model_passes = source["model_passes"];
	        this.tool_calls = source["tool_calls"];
	        this.stop_reason = source["stop_reason"];
	        this.question = source["question"];
	        this.calls = this.convertValues(source["calls"], ChatCall);
	        this.settled = source["settled"];
	        this.usage = this.convertValues(source["usage"], Usage);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class ChatStart {
	    session: string;
	
	    static createFrom(source: any = {}) {
	        return new ChatStart(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.session = source["session"];
	    }
	}
	
	export class Connection {
	    since: string;
	    attempts: number;
	    next_try: string;
	    latency_ms: number;
	    version: string;
	    protocol: string;
	    pid: number;
	    memory_bytes: number;
	    cpu_percent: number;
	    noise: number;
	    lazy: boolean;
	    process: number;
	
	    static createFrom(source: any = {}) {
	        return new Connection(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.since = source["since"];
	        this.attempts = source["attempts"];
	        this.next_try = source["next_try"];
	        this.latency_ms = source["latency_ms"];
	        this.version = source["version"];
	        this.protocol = source["protocol"];
	        this.pid = source["pid"];
	        this.memory_bytes = source["memory_bytes"];
	        this.cpu_percent = source["cpu_percent"];
	        this.noise = source["noise"];
	        this.lazy = source["lazy"];
	        this.process = source["process"];
	    }
	}
	export class EditResult {
	    server: string;
	    revision: string;
	    changed: boolean;
	    before: Words;
	    after: Words;
	    warnings: string[];
	
	    static createFrom(source: any = {}) {
	        return new EditResult(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.server = source["server"];
	        this.revision = source["revision"];
	        this.changed = source["changed"];
	        this.before = this.convertValues(source["before"], Words);
	        this.after = this.convertValues(source["after"], Words);
	        this.warnings = source["warnings"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class FileRules {
	    state: string;
	    words: string;
	
	    static createFrom(source: any = {}) {
	        return new FileRules(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.state = source["state"];
	        this.words = source["words"];
	    }
	}
	export class Grant {
	    id: number;
	    server: string;
	    tool: string;
	    scope: string;
	    session: string;
	    why: string[];
	    given: string;
	    void: string;
	    said?: Words[];
	
	    static createFrom(source: any = {}) {
	        return new Grant(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.server = source["server"];
	        this.tool = source["tool"];
	        this.scope = source["scope"];
	        this.session = source["session"];
	        this.why = source["why"];
	        this.given = source["given"];
	        this.void = source["void"];
	        this.said = this.convertValues(source["said"], Words);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Grants {
	    grants: Grant[];
	
	    static createFrom(source: any = {}) {
	        return new Grants(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.grants = this.convertValues(source["grants"], Grant);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Hold {
	    since: string;
	    was: string;
	    keys: string[];
	    texts: string[];
	    present: string[];
	    waits: boolean;
	    ways: string[];
	
	    static createFrom(source: any = {}) {
	        return new Hold(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.since = source["since"];
	        this.was = source["was"];
	        this.keys = source["keys"];
	        this.texts = source["texts"];
	        this.present = source["present"];
	        this.waits = source["waits"];
	        this.ways = source["ways"];
	    }
	}
	export class HookFile {
	    path: string;
	    sha256: string;
	
	    static createFrom(source: any = {}) {
	        return new HookFile(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.path = source["path"];
	        this.sha256 = source["sha256"];
	    }
	}
	export class Hook {
	    index: number;
	    event: string;
	    matcher: string;
	    command: string;
	    timeout: number;
	    fail_open: boolean;
	    state: string;
	    reason: string;
	    said?: Words[];
	    files: HookFile[];
	    approved_at?: string;
	    note?: string;
	    file: string;
	    line: number;
	
	    static createFrom(source: any = {}) {
	        return new Hook(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.index = source["index"];
	        this.event = source["event"];
	        this.matcher = source["matcher"];
	        this.command = source["command"];
	        this.timeout = source["timeout"];
	        this.fail_open = source["fail_open"];
	        this.state = source["state"];
	        this.reason = source["reason"];
	        this.said = this.convertValues(source["said"], Words);
	        this.files = this.convertValues(source["files"], HookFile);
	        this.approved_at = source["approved_at"];
	        this.note = source["note"];
	        this.file = source["file"];
	        this.line = source["line"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class HookChange {
	    hook: Hook;
	    changed: boolean;
	
	    static createFrom(source: any = {}) {
	        return new HookChange(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.hook = this.convertValues(source["hook"], Hook);
	        this.changed = source["changed"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class HookContent {
	    path: string;
	    sha256: string;
	    text: string;
	    cut: boolean;
	
	    static createFrom(source: any = {}) {
	        return new HookContent(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.path = source["path"];
	        this.sha256 = source["sha256"];
	        this.text = source["text"];
	        this.cut = source["cut"];
	    }
	}
	export class HookElsewhere {
	    event: string;
	    matcher: string;
	    command: string;
	    reason: string;
	    said?: Words[];
	    consent: boolean;
	    file: string;
	    line: number;
	
	    static createFrom(source: any = {}) {
	        return new HookElsewhere(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.event = source["event"];
	        this.matcher = source["matcher"];
	        this.command = source["command"];
	        this.reason = source["reason"];
	        this.said = this.convertValues(source["said"], Words);
	        this.consent = source["consent"];
	        this.file = source["file"];
	        this.line = source["line"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	export class HookLook {
	    hook: Hook;
	    name: string;
	    contents: HookContent[];
	
	    static createFrom(source: any = {}) {
	        return new HookLook(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.hook = this.convertValues(source["hook"], Hook);
	        this.name = source["name"];
	        this.contents = this.convertValues(source["contents"], HookContent);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class HookPick {
	    event: string;
	    matcher: string;
	    command: string;
	
	    static createFrom(source: any = {}) {
	        return new HookPick(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.event = source["event"];
	        this.matcher = source["matcher"];
	        this.command = source["command"];
	    }
	}
	export class HookTrust {
	    pick: HookPick;
	    files: HookFile[];
	    typed: string;
	
	    static createFrom(source: any = {}) {
	        return new HookTrust(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.pick = this.convertValues(source["pick"], HookPick);
	        this.files = this.convertValues(source["files"], HookFile);
	        this.typed = source["typed"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class HooksList {
	    file: string;
	    consents: string;
	    hooks: Hook[];
	    not_run: HookElsewhere[];
	    problems: Problem[];
	    notes: string[];
	
	    static createFrom(source: any = {}) {
	        return new HooksList(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.file = source["file"];
	        this.consents = source["consents"];
	        this.hooks = this.convertValues(source["hooks"], Hook);
	        this.not_run = this.convertValues(source["not_run"], HookElsewhere);
	        this.problems = this.convertValues(source["problems"], Problem);
	        this.notes = source["notes"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class InstallPlan {
	    row: CatalogRow;
	    confirm: boolean;
	    exists: boolean;
	    replaces: string;
	    missing: string[];
	    rules: Words;
	    unhashed: string[];
	    hands_over: string[];
	    notes: string[];
	    revision: string;
	
	    static createFrom(source: any = {}) {
	        return new InstallPlan(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.row = this.convertValues(source["row"], CatalogRow);
	        this.confirm = source["confirm"];
	        this.exists = source["exists"];
	        this.replaces = source["replaces"];
	        this.missing = source["missing"];
	        this.rules = this.convertValues(source["rules"], Words);
	        this.unhashed = source["unhashed"];
	        this.hands_over = source["hands_over"];
	        this.notes = source["notes"];
	        this.revision = source["revision"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class InstallRequest {
	    name: string;
	    values: Record<string, string>;
	    existing: string[];
	    confirmed: boolean;
	    skip_integrity: boolean;
	    revision: string;
	
	    static createFrom(source: any = {}) {
	        return new InstallRequest(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.name = source["name"];
	        this.values = source["values"];
	        this.existing = source["existing"];
	        this.confirmed = source["confirmed"];
	        this.skip_integrity = source["skip_integrity"];
	        this.revision = source["revision"];
	    }
	}
	export class Live {
	    known: boolean;
	    allowed: number;
	    total: number;
	    unmatched: string[];
	    new: string[];
	    new_off: number;
	    changed: number;
	    quarantined: number;
	    blocked: number;
	
	    static createFrom(source: any = {}) {
	        return new Live(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.known = source["known"];
	        this.allowed = source["allowed"];
	        this.total = source["total"];
	        this.unmatched = source["unmatched"];
	        this.new = source["new"];
	        this.new_off = source["new_off"];
	        this.changed = source["changed"];
	        this.quarantined = source["quarantined"];
	        this.blocked = source["blocked"];
	    }
	}
	export class Installed {
	    server: string;
	    path: string;
	    revision: string;
	    changed: boolean;
	    enabled: boolean;
	    untrusted: boolean;
	    rules: Words;
	    live: Live;
	    variables: string[];
	    checked: string[];
	    unchecked: string[];
	    notes: string[];
	    look_error: string;
	    post_install: string;
	    problems: Problem[];
	
	    static createFrom(source: any = {}) {
	        return new Installed(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.server = source["server"];
	        this.path = source["path"];
	        this.revision = source["revision"];
	        this.changed = source["changed"];
	        this.enabled = source["enabled"];
	        this.untrusted = source["untrusted"];
	        this.rules = this.convertValues(source["rules"], Words);
	        this.live = this.convertValues(source["live"], Live);
	        this.variables = source["variables"];
	        this.checked = source["checked"];
	        this.unchecked = source["unchecked"];
	        this.notes = source["notes"];
	        this.look_error = source["look_error"];
	        this.post_install = source["post_install"];
	        this.problems = this.convertValues(source["problems"], Problem);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	
	export class Program {
	    server: string;
	    kind: string;
	    target: string;
	    starts: boolean;
	    reason: string;
	    env_keys: string[];
	
	    static createFrom(source: any = {}) {
	        return new Program(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.server = source["server"];
	        this.kind = source["kind"];
	        this.target = source["target"];
	        this.starts = source["starts"];
	        this.reason = source["reason"];
	        this.env_keys = source["env_keys"];
	    }
	}
	export class Overview {
	    version: string;
	    home: string;
	    demo: boolean;
	    user_home: string;
	    user_home_exists: boolean;
	    started: boolean;
	    programs: Program[];
	    model: string;
	    offline_model: boolean;
	    model_problem: string;
	    scope: string;
	    notices: Problem[];
	
	    static createFrom(source: any = {}) {
	        return new Overview(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.version = source["version"];
	        this.home = source["home"];
	        this.demo = source["demo"];
	        this.user_home = source["user_home"];
	        this.user_home_exists = source["user_home_exists"];
	        this.started = source["started"];
	        this.programs = this.convertValues(source["programs"], Program);
	        this.model = source["model"];
	        this.offline_model = source["offline_model"];
	        this.model_problem = source["model_problem"];
	        this.scope = source["scope"];
	        this.notices = this.convertValues(source["notices"], Problem);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class PageReport {
	    policy_loaded: boolean;
	    policy_error: string;
	    servers: number;
	    transport: string;
	    millis: number;
	
	    static createFrom(source: any = {}) {
	        return new PageReport(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.policy_loaded = source["policy_loaded"];
	        this.policy_error = source["policy_error"];
	        this.servers = source["servers"];
	        this.transport = source["transport"];
	        this.millis = source["millis"];
	    }
	}
	
	
	export class QuestionWhy {
	    code: string;
	    text: string;
	
	    static createFrom(source: any = {}) {
	        return new QuestionWhy(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.code = source["code"];
	        this.text = source["text"];
	    }
	}
	export class QuestionCall {
	    call: string;
	    name: string;
	    server: string;
	    tool: string;
	    arguments: string;
	    why: QuestionWhy[];
	    scopes: string[];
	    read_only?: boolean;
	    destructive?: boolean;
	    open_world?: boolean;
	
	    static createFrom(source: any = {}) {
	        return new QuestionCall(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.call = source["call"];
	        this.name = source["name"];
	        this.server = source["server"];
	        this.tool = source["tool"];
	        this.arguments = source["arguments"];
	        this.why = this.convertValues(source["why"], QuestionWhy);
	        this.scopes = source["scopes"];
	        this.read_only = source["read_only"];
	        this.destructive = source["destructive"];
	        this.open_world = source["open_world"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class QuestionOption {
	    value: string;
	    label: string;
	
	    static createFrom(source: any = {}) {
	        return new QuestionOption(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.value = source["value"];
	        this.label = source["label"];
	    }
	}
	export class QuestionField {
	    name: string;
	    title: string;
	    description: string;
	    kind: string;
	    required: boolean;
	    format: string;
	    min_length?: number;
	    max_length?: number;
	    minimum?: number;
	    maximum?: number;
	    options: QuestionOption[];
	    default: string;
	
	    static createFrom(source: any = {}) {
	        return new QuestionField(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.name = source["name"];
	        this.title = source["title"];
	        this.description = source["description"];
	        this.kind = source["kind"];
	        this.required = source["required"];
	        this.format = source["format"];
	        this.min_length = source["min_length"];
	        this.max_length = source["max_length"];
	        this.minimum = source["minimum"];
	        this.maximum = source["maximum"];
	        this.options = this.convertValues(source["options"], QuestionOption);
	        this.default = source["default"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Question {
	    id: string;
	    kind: string;
	    server: string;
	    session: string;
	    message: string;
	    schema: string;
	    asked: string;
	    expires: string;
	    fields: QuestionField[];
	    calls: QuestionCall[];
	
	    static createFrom(source: any = {}) {
	        return new Question(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.kind = source["kind"];
	        this.server = source["server"];
	        this.session = source["session"];
	        this.message = source["message"];
	        this.schema = source["schema"];
	        this.asked = source["asked"];
	        this.expires = source["expires"];
	        this.fields = this.convertValues(source["fields"], QuestionField);
	        this.calls = this.convertValues(source["calls"], QuestionCall);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	
	
	
	export class Questions {
	    questions: Question[];
	
	    static createFrom(source: any = {}) {
	        return new Questions(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.questions = this.convertValues(source["questions"], Question);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Reloaded {
	    revision: string;
	    changed: string[];
	    retried: string[];
	    servers: number;
	    tools: number;
	
	    static createFrom(source: any = {}) {
	        return new Reloaded(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.revision = source["revision"];
	        this.changed = source["changed"];
	        this.retried = source["retried"];
	        this.servers = source["servers"];
	        this.tools = source["tools"];
	    }
	}
	export class Rules {
	    state: string;
	    held: boolean;
	    locked: boolean;
	    words: string;
	    list: Words;
	    row: Words;
	    panel: Words;
	    patterns: string[];
	    resources: boolean;
	    prompts: boolean;
	    problems: Problem[];
	    file?: FileRules;
	    hold?: Hold;
	
	    static createFrom(source: any = {}) {
	        return new Rules(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.state = source["state"];
	        this.held = source["held"];
	        this.locked = source["locked"];
	        this.words = source["words"];
	        this.list = this.convertValues(source["list"], Words);
	        this.row = this.convertValues(source["row"], Words);
	        this.panel = this.convertValues(source["panel"], Words);
	        this.patterns = source["patterns"];
	        this.resources = source["resources"];
	        this.prompts = source["prompts"];
	        this.problems = this.convertValues(source["problems"], Problem);
	        this.file = this.convertValues(source["file"], FileRules);
	        this.hold = this.convertValues(source["hold"], Hold);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Selection {
	    server: string;
	    on: string[];
	    off: string[];
	    lock_to: boolean;
	    expand: boolean;
	    revision: string;
	
	    static createFrom(source: any = {}) {
	        return new Selection(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.server = source["server"];
	        this.on = source["on"];
	        this.off = source["off"];
	        this.lock_to = source["lock_to"];
	        this.expand = source["expand"];
	        this.revision = source["revision"];
	    }
	}
	export class Server {
	    name: string;
	    transport: string;
	    target: string;
	    enabled: boolean;
	    status: string;
	    reason: string;
	    line: number;
	    tools: Rules;
	    live: Live;
	    connection: Connection;
	    problems: Problem[];
	
	    static createFrom(source: any = {}) {
	        return new Server(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.name = source["name"];
	        this.transport = source["transport"];
	        this.target = source["target"];
	        this.enabled = source["enabled"];
	        this.status = source["status"];
	        this.reason = source["reason"];
	        this.line = source["line"];
	        this.tools = this.convertValues(source["tools"], Rules);
	        this.live = this.convertValues(source["live"], Live);
	        this.connection = this.convertValues(source["connection"], Connection);
	        this.problems = this.convertValues(source["problems"], Problem);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	export class Tool {
	    server: string;
	    name: string;
	    public: string;
	    title: string;
	    description: string;
	    allowed: boolean;
	    reason: Words;
	    line: number;
	    seen: boolean;
	    held_by: string;
	    read_only: string;
	    destructive: string;
	    new: boolean;
	    changed: boolean;
	    quarantine: string;
	
	    static createFrom(source: any = {}) {
	        return new Tool(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.server = source["server"];
	        this.name = source["name"];
	        this.public = source["public"];
	        this.title = source["title"];
	        this.description = source["description"];
	        this.allowed = source["allowed"];
	        this.reason = this.convertValues(source["reason"], Words);
	        this.line = source["line"];
	        this.seen = source["seen"];
	        this.held_by = source["held_by"];
	        this.read_only = source["read_only"];
	        this.destructive = source["destructive"];
	        this.new = source["new"];
	        this.changed = source["changed"];
	        this.quarantine = source["quarantine"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class ServerDetail {
	    server: Server;
	    revision: string;
	    tree: string;
	    version: string;
	    protocol: string;
	    tools: Tool[];
	    log: string[];
	
	    static createFrom(source: any = {}) {
	        return new ServerDetail(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.server = this.convertValues(source["server"], Server);
	        this.revision = source["revision"];
	        this.tree = source["tree"];
	        this.version = source["version"];
	        this.protocol = source["protocol"];
	        this.tools = this.convertValues(source["tools"], Tool);
	        this.log = source["log"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class ServerEdit {
	    server: string;
	    revision: string;
	
	    static createFrom(source: any = {}) {
	        return new ServerEdit(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.server = source["server"];
	        this.revision = source["revision"];
	    }
	}
	export class ServerList {
	    config: Config;
	    servers: Server[];
	
	    static createFrom(source: any = {}) {
	        return new ServerList(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.config = this.convertValues(source["config"], Config);
	        this.servers = this.convertValues(source["servers"], Server);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class SessionRow {
	    session: string;
	    title: string;
	    started: string;
	    updated: string;
	    source: string;
	    model: string;
	    messages: number;
	    usage?: Usage;
	    match?: string;
	
	    static createFrom(source: any = {}) {
	        return new SessionRow(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.session = source["session"];
	        this.title = source["title"];
	        this.started = source["started"];
	        this.updated = source["updated"];
	        this.source = source["source"];
	        this.model = source["model"];
	        this.messages = source["messages"];
	        this.usage = this.convertValues(source["usage"], Usage);
	        this.match = source["match"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Signal {
	    topic: string;
	    revision?: string;
	    chat?: ChatEvent;
	
	    static createFrom(source: any = {}) {
	        return new Signal(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.topic = source["topic"];
	        this.revision = source["revision"];
	        this.chat = this.convertValues(source["chat"], ChatEvent);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	
	export class ToolEdit {
	    server: string;
	    tool: string;
	    on: boolean;
	    expand: boolean;
	    revision: string;
	
	    static createFrom(source: any = {}) {
	        return new ToolEdit(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.server = source["server"];
	        this.tool = source["tool"];
	        this.on = source["on"];
	        this.expand = source["expand"];
	        this.revision = source["revision"];
	    }
	}
	export class Transcript {
	    session: string;
	    title: string;
	    events: ChatEvent[];
	    running: boolean;
	
	    static createFrom(source: any = {}) {
	        return new Transcript(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.session = source["session"];
	        this.title = source["title"];
	        this.events = this.convertValues(source["events"], ChatEvent);
	        this.running = source["running"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	export class Why {
	    server: string;
	    tool: string;
	    allowed: boolean;
	    rule: string;
	    reason: string;
	    words: Words;
	    file: string;
	    line: number;
	    column: number;
	    anchor?: string;
	    held: boolean;
	    ledger?: string;
	    asks: boolean;
	
	    static createFrom(source: any = {}) {
	        return new Why(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.server = source["server"];
	        this.tool = source["tool"];
	        this.allowed = source["allowed"];
	        this.rule = source["rule"];
	        this.reason = source["reason"];
	        this.words = this.convertValues(source["words"], Words);
	        this.file = source["file"];
	        this.line = source["line"];
	        this.column = source["column"];
	        this.anchor = source["anchor"];
	        this.held = source["held"];
	        this.ledger = source["ledger"];
	        this.asks = source["asks"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}

}

