import { useEffect, useState } from 'react';
import type { AnswerChoice, QuestionCall, QuestionWhy } from '@/bridge';

/** What a person picked for one call; nothing picked is a no. */
export interface Pick {
  allow: boolean;
  scope: string;
  reason: string;
}

export type Picks = Readonly<Record<string, Pick>>;

const none: Pick = { allow: false, scope: '', reason: '' };

/** What was picked for a call. The scope is the shortest that is offered until another one is chosen. */
export function pickOf(picks: Picks, call: QuestionCall): Pick {
  const pick = Object.hasOwn(picks, call.call) ? (picks[call.call] ?? none) : none;
  return { ...pick, scope: call.scopes.includes(pick.scope) ? pick.scope : (call.scopes[0] ?? '') };
}

/** The answer about each call of a card; denied is all of them. */
export function choicesOf(calls: readonly QuestionCall[], picks: Picks, denied: boolean): AnswerChoice[] {
  return calls.map((call) => {
    const { allow, scope, reason } = pickOf(picks, call);
    return allow && !denied && scope !== '' ? { call: call.call, allow: true, scope, reason: '' } : { call: call.call, allow: false, scope: '', reason: reason.trim() };
  });
}

/** How long a card is looked at before a click on it counts, in milliseconds: a click meant for what stood there before allows nothing. */
const grace = 700;

/** Whether a card has stood long enough, as it is now, for a click to be meant for it. */
export function useSettled(key: string): boolean {
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const waiting = setTimeout(() => setSettled(key), grace);
    return () => clearTimeout(waiting);
  }, [key]);
  return settled === key;
}

// backend/approval, Why*
const codes: readonly string[] = ['untrusted', 'hook', 'own-files', 'tainted'];

/** A reason as the page says it: its code, and what is particular about it. An unknown code has the program's own words. */
export function reasonOf(why: QuestionWhy): { code: string; detail: string } {
  if (!codes.includes(why.code)) return { code: '', detail: why.text };
  if (why.code === 'tainted') return { code: 'tainted', detail: /"([^"]*)"/.exec(why.text)?.[1] ?? '' };
  const at = why.text.indexOf(': ');
  return { code: why.code.replace('-', ''), detail: why.code === 'untrusted' || at < 0 ? '' : why.text.slice(at + 2) };
}
