import { Fragment } from 'react';
import type { ArrivalProgram, AuditItem, ObsoleteText, Problem } from '@/bridge';
import { Badge, Notice } from '@/components';
import { placeOf, shortPath } from '@/panels/mcp/faces';
import { useWords } from '@/words';

/** Servers that were restricted once, by what the history, a backup or a cache says. */
export function LostLocks({ items, path }: { items: readonly AuditItem[]; path: string }) {
  const { t, fact } = useWords();
  return (
    <ul className="space-y-2">
      {items.map((item, index) => {
        const words = fact(item);
        return (
          <li key={index}>
            <Notice tone="warn" kind={item.server || t('arrival.file')} place={placeOf(item.file || path, item.line, item.column)} hint={words.hint}>
              {words.message}
            </Notice>
          </li>
        );
      })}
    </ul>
  );
}

/** Restrictions that were written for other parts of Hermes and are obeyed here, too. */
export function Honoured({ problems, path }: { problems: readonly Problem[]; path: string }) {
  const { fact } = useWords();
  return (
    <ul className="list-disc space-y-1 pl-5 text-small marker:text-ink-faint">
      {problems.map((p, index) => {
        const words = fact(p);
        return (
          <li key={index} className="break-words">
            {words.message}
            {p.line > 0 && <Place file={p.file || path} line={p.line} />}
            {words.hint && <span className="block text-ink-soft">{words.hint}</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** Lines that only cost time here. */
export function ObsoleteTexts({ texts }: { texts: readonly ObsoleteText[] }) {
  return (
    <ul className="space-y-1 text-small">
      {texts.map((one, index) => (
        <li key={index} className="break-words">
          <q className="text-ink-soft">{one.text}</q>
          <Place file={one.file} line={one.line} />
        </li>
      ))}
    </ul>
  );
}

/** Every `hermes` on PATH; typing the word starts the first one. */
export function PathPrograms({ programs }: { programs: readonly ArrivalProgram[] }) {
  const { t } = useWords();
  return (
    <ol className="space-y-1 text-small">
      {programs.map((one, index) => (
        <li key={one.path} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="font-mono text-tiny leading-5 [overflow-wrap:anywhere]">{one.path}</span>
          <Badge tone={one.kind === 'this' ? 'good' : 'plain'}>{t(`arrival.program.${one.kind}`, { defaultValue: one.kind })}</Badge>
          {index === 0 && programs.length > 1 && <span className="text-tiny text-ink-faint">{t('arrival.first')}</span>}
        </li>
      ))}
    </ol>
  );
}

/** The keys of others in one line. */
export function OtherKeys({ count, sections }: { count: number; sections: readonly string[] }) {
  const { t } = useWords();
  return (
    <p className="text-small text-ink-soft">
      {t('arrival.otherKeys', { count })}
      {sections.length > 0 && (
        <span className="text-ink-faint">
          {' ('}
          {sections.map((name, index) => (
            <Fragment key={name}>
              {index > 0 && ', '}
              <span className="font-mono text-tiny">{name}</span>
            </Fragment>
          ))}
          )
        </span>
      )}
    </p>
  );
}

/** What could not be looked at, so that silence is not taken for a clean bill. */
export function Unchecked({ items }: { items: readonly string[] }) {
  const { t } = useWords();
  if (items.length === 0) return null;
  return (
    <Notice tone="info" kind={t('arrival.unchecked')}>
      {items.join('; ')}
    </Notice>
  );
}

function Place({ file, line }: { file: string; line: number }) {
  return (
    <span title={placeOf(file, line)} className="ml-1.5 font-mono text-tiny whitespace-nowrap text-ink-faint">
      {placeOf(shortPath(file), line)}
    </span>
  );
}
