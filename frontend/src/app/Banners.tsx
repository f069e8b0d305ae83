import { House } from 'lucide-react';
import type { Overview, Problem } from '@/bridge';
import { Button, Notice } from '@/components';
import { useWords } from '@/words';
import { Opened } from './Opened';
import { useOwnHome } from './queries';
import { isWaiting, Waiting } from './Waiting';
import { useLink, usePolicy } from './services';
import { placeOf } from '@/panels/mcp/faces';

// config.CodeBroken and config.CodeGone; host.CodeDeaf.
const brokenCodes: readonly string[] = ['file.broken', 'file.gone'];
const deafCode = 'watch.deaf';

/** Whether a problem of the file is told by a banner over both places. */
export function isBanner(code: string): boolean {
  return code === deafCode || brokenCodes.includes(code) || isWaiting(code);
}

/** The notice that the file cannot be read, if it cannot. */
export function brokenOf(overview: Overview | undefined): Problem | undefined {
  return overview?.notices.find((one) => brokenCodes.includes(one.code));
}

/** What holds for the whole page: the rules cannot be asked, the link is down, this is the demo. */
export function Banners({ overview }: { overview: Overview | undefined }) {
  const { t } = useWords();
  const policy = usePolicy();
  const link = useLink();
  return (
    <>
      {policy.state === 'failed' && (
        <Bar>
          <Notice live tone="bad" kind={t('policy.failed')} hint={policy.message}>
            {t('policy.failedText')}
          </Notice>
        </Bar>
      )}
      {(link === 'lost' || link === 'closed') && (
        <Bar>
          <Notice live tone="warn" kind={t(`link.${link}`)}>
            {t(`link.${link}Text`)}
          </Notice>
        </Bar>
      )}
      {overview && <FileBanners overview={overview} />}
      {overview && <Waiting overview={overview} />}
      {overview && (
        <div className="px-3 pt-3 empty:hidden">
          <Opened notices={overview.notices} />
        </div>
      )}
      {overview?.demo && <DemoBar overview={overview} />}
    </>
  );
}

function Bar({ children }: { children: React.ReactNode }) {
  return <div className="px-3 pt-3">{children}</div>;
}

/** The file cannot be read, or nobody tells when it changes: once, wherever one is. */
function FileBanners({ overview }: { overview: Overview }) {
  const { t, fact } = useWords();
  const broken = brokenOf(overview);
  const deaf = overview.notices.find((one) => one.code === deafCode);
  return (
    <>
      {broken && (
        <Bar>
          <Notice live tone="bad" kind={t('file.broken')} place={placeOf(broken.file, broken.line, broken.column)} hint={fact(broken).message}>
            {overview.programs.length > 0 ? t('file.kept') : t('file.locked')}
          </Notice>
        </Bar>
      )}
      {deaf && (
        <Bar>
          <Notice live tone="warn" kind={t('file.deaf')} hint={fact(deaf).hint}>
            {fact(deaf).message}
          </Notice>
        </Bar>
      )}
    </>
  );
}

/** Says that this is the embedded default, and offers the person's own home. */
function DemoBar({ overview }: { overview: Overview }) {
  const { t } = useWords();
  const own = useOwnHome();
  return (
    <section
      aria-label={t('demo.title')}
      className="flex flex-wrap items-center gap-x-4 gap-y-1.5 border-b border-line bg-accent-soft px-5 py-2 text-small"
    >
      <p className="min-w-0 flex-1 basis-80">
        <strong className="font-semibold text-accent-text">{t('demo.title')}</strong> {t('demo.text')}
        {!overview.user_home_exists && <span className="text-ink-soft"> {t('demo.noHome', { home: overview.user_home })}</span>}
        {own.error && <span className="text-bad"> {own.error.message}</span>}
        <span className="block text-tiny text-ink-soft">{t('about.leaves')}</span>
      </p>
      {overview.user_home_exists && (
        <Button small icon={<House />} disabled={own.isPending} onClick={() => own.mutate()}>
          {t('demo.useHome', { home: overview.user_home })}
        </Button>
      )}
    </section>
  );
}
