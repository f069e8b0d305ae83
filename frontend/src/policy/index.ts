// The page's only reader of tool rules: the program's own Go code, compiled to
// WebAssembly. Nothing in the page looks at the configuration's keys itself.
export { isToolEnabled, loadPolicy, Policy, PolicyError, PolicyServer } from './policy';
export type { PolicySource } from './module';
export type { Count, Intent, Preview, Problem, Special, State, Summary, Template, Verdict, Words } from './types';
