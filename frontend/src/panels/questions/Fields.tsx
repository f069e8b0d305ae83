import { useId, useState } from 'react';
import type { QuestionField } from '@/bridge';
import { Badge, Foreign, plain, Switch } from '@/components';
import { useWords } from '@/words';
import { defaultOf, nameOf } from './questions';

const inputLook = 'h-9 w-full rounded-lg border border-line bg-page px-3 text-body placeholder:text-ink-faint';

interface FieldProps {
  field: QuestionField;
  index: number;
  /** What is wrong with what was filled in, in words; '' for nothing. */
  wrong: string;
}

/** One value that is asked for, as the browser's own field for it. All its words are the server's: text, never markup. */
export function Field({ field, index, wrong }: FieldProps) {
  if (field.kind === 'choices') return <Choices field={field} index={index} />;
  if (field.kind === 'switch') return <Toggle field={field} index={index} />;
  return <Single field={field} index={index} wrong={wrong} />;
}

function Single({ field, index, wrong }: FieldProps) {
  const { t } = useWords();
  const id = useId();
  const told = [wrong && `${id}w`, field.description && `${id}d`].filter(Boolean).join(' ') || undefined;
  const initial = defaultOf(field);
  return (
    <div>
      <label htmlFor={id} className="mb-1 flex flex-wrap items-center gap-2 text-small font-medium">
        <span className="break-words" dir="auto">
          <Foreign text={field.title} />
        </span>{' '}
        {field.required && <Badge tone="accent">{t('question.needed')}</Badge>}
      </label>
      {field.kind === 'choice' ? (
        <select
          id={id}
          name={nameOf(index)}
          required={field.required}
          aria-describedby={told}
          aria-invalid={wrong !== '' || undefined}
          defaultValue={initial === undefined ? '' : String(field.options.findIndex((one) => one.value === initial))}
          className={inputLook}
        >
          <option value="">{t('question.choose')}</option>
          {field.options.map((one, at) => (
            <option key={one.value} value={at}>
              {plain(one.label)}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          name={nameOf(index)}
          {...inputOf(field)}
          required={field.required}
          aria-describedby={told}
          aria-invalid={wrong !== '' || undefined}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          defaultValue={field.format === 'date-time' || initial === undefined ? '' : String(initial)}
          className={inputLook}
        />
      )}
      {wrong && (
        <p id={`${id}w`} role="alert" className="mt-1 text-small font-medium text-bad">
          {wrong}
        </p>
      )}
      <Description field={field} id={`${id}d`} />
    </div>
  );
}

/** The native field and its bounds. */
function inputOf(field: QuestionField): React.InputHTMLAttributes<HTMLInputElement> {
  if (field.kind === 'number' || field.kind === 'integer') {
    return { type: 'number', step: field.kind === 'integer' ? 1 : 'any', min: field.minimum, max: field.maximum };
  }
  const lengths = { minLength: field.min_length, maxLength: field.max_length };
  switch (field.format) {
    case 'email':
      return { type: 'email', ...lengths };
    case 'uri':
      return { type: 'url', ...lengths };
    case 'date':
      return { type: 'date' };
    case 'date-time':
      return { type: 'datetime-local', step: 1 };
    default:
      return { type: 'text', ...lengths };
  }
}

function Toggle({ field, index }: Omit<FieldProps, 'wrong'>) {
  const id = useId();
  const [on, setOn] = useState(defaultOf(field) === true);
  return (
    <div>
      <div className="flex items-center gap-3">
        <Switch label={plain(field.title)} on={on} describedBy={field.description === '' ? undefined : `${id}d`} onWanted={setOn} />
        <span aria-hidden="true" className="text-small font-medium break-words" dir="auto">
          <Foreign text={field.title} />
        </span>
        <input type="hidden" name={nameOf(index)} value={on ? 'on' : ''} />
      </div>
      <Description field={field} id={`${id}d`} />
    </div>
  );
}

function Choices({ field, index }: Omit<FieldProps, 'wrong'>) {
  const { t } = useWords();
  const id = useId();
  const initial = defaultOf(field);
  const chosen: readonly unknown[] = Array.isArray(initial) ? initial : [];
  return (
    <fieldset aria-describedby={field.description === '' ? undefined : `${id}d`}>
      <legend className="mb-1 flex flex-wrap items-center gap-2 text-small font-medium">
        <span className="break-words" dir="auto">
          <Foreign text={field.title} />
        </span>{' '}
        {field.required && <Badge tone="accent">{t('question.needed')}</Badge>}
      </legend>
      <div className="space-y-1">
        {field.options.map((one, at) => (
          <label key={one.value} className="flex items-start gap-2 text-small">
            <input type="checkbox" name={nameOf(index)} value={at} defaultChecked={chosen.includes(one.value)} className="mt-0.5 size-4 accent-accent" />
            <span className="break-words" dir="auto">
              <Foreign text={one.label} />
            </span>
          </label>
        ))}
      </div>
      <Description field={field} id={`${id}d`} />
    </fieldset>
  );
}

function Description({ field, id }: { field: QuestionField; id: string | undefined }) {
  if (field.description === '') return null;
  return (
    <p id={id} dir="auto" className="mt-1 text-tiny break-words text-ink-soft">
      <Foreign text={field.description} />
    </p>
  );
}
