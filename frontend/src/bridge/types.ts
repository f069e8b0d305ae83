// The shapes the program sends, taken from the generated bindings, which come
// from backend/view. This folder is the only one that imports them.
import type * as App from '@wailsjs/go/main/App';
import type { view } from '@wailsjs/go/models';

/** What JSON carries of a generated class: its fields, without its methods. */
export type Plain<T> = T extends (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { [Key in keyof T as T[Key] extends (...args: never[]) => unknown ? never : Key]: Plain<T[Key]> }
    : T;

export type Overview = Plain<view.Overview>;
export type Program = Plain<view.Program>;
export type ServerList = Plain<view.ServerList>;
export type Server = Plain<view.Server>;
export type Connection = Plain<view.Connection>;
export type Rules = Plain<view.Rules>;
export type Live = Plain<view.Live>;
export type Tool = Plain<view.Tool>;
export type Problem = Plain<view.Problem>;
export type Words = Plain<view.Words>;
export type Why = Plain<view.Why>;
export type EditResult = Plain<view.EditResult>;
export type ToolEdit = Plain<view.ToolEdit>;
export type Arrival = Plain<view.Arrival>;
export type ArrivalServer = Plain<view.ArrivalServer>;
export type ArrivalProgram = Plain<view.ArrivalProgram>;
export type ObsoleteText = Plain<view.ObsoleteText>;
export type Catalog = Plain<view.Catalog>;
export type CatalogRow = Plain<view.CatalogRow>;
export type CatalogVariable = Plain<view.CatalogVariable>;
export type InstallPlan = Plain<view.InstallPlan>;
export type Installed = Plain<view.Installed>;
export type Audit = Plain<view.Audit>;
export type AuditItem = Plain<view.AuditItem>;
export type Changes = Plain<view.Changes>;
export type ServerChanges = Plain<view.ServerChanges>;
export type ToolChange = Plain<view.ToolChange>;
export type ChangeLine = Plain<view.ChangeLine>;
export type Reloaded = Plain<view.Reloaded>;
export type Selection = Plain<view.Selection>;
export type ServerEdit = Plain<view.ServerEdit>;
export type ChatEvent = Plain<view.ChatEvent>;
export type ChatStart = Plain<view.ChatStart>;
export type SessionRow = Plain<view.SessionRow>;
export type Transcript = Plain<view.Transcript>;
export type PageReport = Plain<view.PageReport>;
export type Signal = Plain<view.Signal>;
export type Question = Plain<view.Question>;
export type QuestionCall = Plain<view.QuestionCall>;
export type QuestionWhy = Plain<view.QuestionWhy>;
export type AnswerChoice = Plain<view.AnswerChoice>;
export type Usage = Plain<view.Usage>;
export type Grant = Plain<view.Grant>;
export type Grants = Plain<view.Grants>;
export type Hook = Plain<view.Hook>;
export type HookElsewhere = Plain<view.HookElsewhere>;
export type HooksList = Plain<view.HooksList>;
export type HookPick = Plain<view.HookPick>;
export type HookLook = Plain<view.HookLook>;
export type HookContent = Plain<view.HookContent>;
export type HookChange = Plain<view.HookChange>;
export type QuestionField = Plain<view.QuestionField>;
export type Questions = Plain<view.Questions>;
export type QuestionAnswered = Plain<view.Answered>;

export type ServerDetail = Plain<view.ServerDetail>;

type Bound = typeof App;

/** The methods of the program, by name, with their arguments. */
export type Method = Exclude<keyof Bound, 'Signals'>;
export type Arguments<M extends Method> = Parameters<Bound[M]> extends infer List
  ? { [Index in keyof List]: Plain<List[Index]> } & unknown[]
  : never;
export type Answer<M extends Method> = Plain<Awaited<ReturnType<Bound[M]>>>;
