import { useMemo, useState } from 'react';
import { keyOf } from '@/app/edits';
import { useEdits } from '@/app/queries';
import type { ServerDetail } from '@/bridge';
import { SearchField } from '@/components';
import { isToolEnabled, type PolicyServer } from '@/policy';
import { useWords } from '@/words';
import { barOf, faceOf, matching } from './faces';
import { LockTo } from './LockTo';
import { ToolRow } from './ToolRow';

/** The tools of one server with their switches, and a field to narrow them. */
export function ToolList({ detail, rules, file }: { detail: ServerDetail; rules: PolicyServer | null; file: string }) {
  const { t } = useWords();
  const { edits, state } = useEdits();
  const [search, setSearch] = useState('');
  const shown = useMemo(() => matching(detail.tools, search), [detail.tools, search]);
  const server = detail.server.name;
  const total = detail.tools.length;
  const blocked = rules === null || detail.server.tools.state === 'invalid';
  return (
    <section aria-label={t('tools.title')}>
      <div className="mb-2.5 flex flex-wrap items-center gap-3">
        <h3 className="font-semibold">{t('tools.title')}</h3>
        <span role="status" className="numbers text-small text-ink-faint">
          {search === '' ? t('tools.count', { count: total }) : t('tools.found', { count: shown.length, total })}
        </span>
        <div className="ml-auto flex flex-wrap items-center justify-end gap-3">
          <LockTo detail={detail} rules={rules} />
          <div className="w-56">
            <SearchField label={t('tools.search')} value={search} onChange={setSearch} />
          </div>
        </div>
      </div>
      {shown.length === 0 ? (
        <p className="rounded-xl border border-dashed border-line px-4 py-8 text-center text-ink-soft">{t('tools.noneFound', { search })}</p>
      ) : (
        <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface">
          {shown.map((tool) => {
            const key = keyOf({ server, tool: tool.name });
            return (
              <ToolRow
                key={tool.name}
                tool={tool}
                face={faceOf(rules, detail, tool)}
                bar={barOf(detail.server, tool)}
                allowed={isToolEnabled(rules, tool.name)}
                file={file}
                wanted={state.pending.get(key)}
                failure={state.failures.get(key)}
                blocked={blocked}
                onWanted={(on, expand) => void edits.setTool({ server, tool: tool.name, on, expand, revision: detail.revision })}
                onDismiss={() => edits.dismiss({ server, tool: tool.name })}
              />
            );
          })}
        </ul>
      )}
    </section>
  );
}
