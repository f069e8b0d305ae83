import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useServices } from '@/app/services';
import { toCallError, type AnswerChoice, type CallError, type Question, type QuestionAnswered, type QuestionField, type Questions } from '@/bridge';

/** The questions that wait for a person; the program tells when to look again. */
export function useQuestions(): readonly Question[] {
  const { transport } = useServices();
  const { data } = useQuery<Questions, CallError>({ queryKey: ['questions'], queryFn: () => transport.call('Questions') });
  return data?.questions ?? [];
}

export type Action = 'accept' | 'decline';

/** Answers a question; answered is told false where another face was first. */
export function useAnswer(id: string, answered: (accepted: boolean) => void) {
  const { transport } = useServices();
  const queries = useQueryClient();
  return useMutation<QuestionAnswered, CallError, { action: Action; content: string; choices?: AnswerChoice[] }>({
    networkMode: 'always',
    mutationFn: async ({ action, content, choices = [] }) => {
      try {
        return await transport.call('AnswerQuestion', { id, action, content, choices });
      } catch (err) {
        throw toCallError(err);
      }
    },
    onSuccess: ({ accepted }) => {
      answered(accepted);
      void queries.invalidateQueries({ queryKey: ['grants'] });
      return queries.invalidateQueries({ queryKey: ['questions'] });
    },
  });
}

/** The name of a field in the form; the server's own names could be anything. */
export const nameOf = (index: number): string => `field:${index}`;

/**
 * What a person filled in, as the JSON object of the answer. What was left empty
 * is left out; whether that may be is the program's to say.
 */
export function contentOf(fields: readonly QuestionField[], data: FormData): string {
  const content: [string, unknown][] = [];
  fields.forEach((field, index) => {
    const text = data.get(nameOf(index));
    const written = typeof text === 'string' ? text : '';
    switch (field.kind) {
      case 'switch':
        content.push([field.name, written !== '']);
        return;
      case 'choices': {
        const chosen = data.getAll(nameOf(index)).map((value) => field.options[Number(value)]?.value ?? '');
        if (chosen.length > 0 || field.required) content.push([field.name, chosen]);
        return;
      }
      case 'choice':
        if (written !== '') content.push([field.name, field.options[Number(written)]?.value ?? '']);
        return;
      case 'number':
      case 'integer':
        if (written !== '') content.push([field.name, Number(written)]);
        return;
      default:
        if (written !== '') content.push([field.name, field.format === 'date-time' ? instant(written) : written]);
    }
  });
  // By hand, because a name such as __proto__ is one like any other here.
  return `{${content.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

/** A field that is not filled in as it must be, by its name in the form. */
export interface Wrong {
  name: string;
  kind: 'missing' | 'misfit';
}

/** The first field that is not filled in as it must be, which gets the focus; null where all are. */
export function wrongOf(form: HTMLFormElement): Wrong | null {
  for (const one of form.elements) {
    if (!(one instanceof HTMLInputElement || one instanceof HTMLSelectElement) || one.validity.valid) continue;
    one.focus();
    return { name: one.name, kind: one.validity.valueMissing ? 'missing' : 'misfit' };
  }
  return null;
}

// The field gives a local time without its zone; the server wants the moment.
function instant(local: string): string {
  const when = new Date(local);
  return Number.isNaN(when.getTime()) ? local : when.toISOString();
}

/** The value a field begins with. */
export function defaultOf(field: QuestionField): unknown {
  if (field.default === '') return undefined;
  try {
    return JSON.parse(field.default) as unknown;
  } catch {
    return undefined;
  }
}

/** How many seconds are left, counted down. */
export function useLeft(expires: string): number {
  const left = () => Math.max(0, Math.ceil((Date.parse(expires) - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    setSeconds(left());
    const ticking = setInterval(() => setSeconds(left()), 1000);
    return () => clearInterval(ticking);
  }, [expires]);
  return Number.isFinite(seconds) ? seconds : 0;
}
