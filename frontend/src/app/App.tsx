import clsx from 'clsx';
import { Languages, MessagesSquare, Monitor, Moon, Server, Sun, type LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Question } from '@/bridge';
import { Hints } from '@/components';
import { McpPlace } from '@/panels/mcp/McpPlace';
import { QuestionBanner } from '@/panels/questions/QuestionBanner';
import { useQuestions } from '@/panels/questions/questions';
import { useTheme, type Theme, type ThemeChoice } from '@/theme/theme';
import { languages, rememberLanguage, useWords, type Language } from '@/words';
import { About } from './About';
import { Banners } from './Banners';
import { useGlance } from './glance';
import { useOverview, useServerList } from './queries';
import { usePolicy, useServices } from './services';

// The MCP place is ready first; the thread's parts come when they are asked for.
const ChatPlace = lazy(() => import('@/panels/chat/ChatPlace').then((m) => ({ default: m.ChatPlace })));

type Place = 'mcp' | 'chat';

/** The shell: two places, and what holds for both. */
export function App({ theme }: { theme: ThemeChoice }) {
  const { t } = useWords();
  const { data: overview } = useOverview();
  const [place, setPlace] = useState<Place>('mcp');
  const { chat, edits, reloads } = useServices();
  const waiting = useQuestions().length;
  const [answering, setAnswering] = useState<string | null>(null);
  // What was said about a past edit or reload belongs to where it was asked.
  const go = (to: Place) => {
    if (to === place) return;
    edits.leave();
    reloads.close();
    setAnswering(null);
    setPlace(to);
  };
  const answer = (question: Question) => {
    if (question.session !== '') chat.show(question.session);
    go('chat');
    setAnswering(question.id);
  };
  useReport();
  useGlance();
  return (
    <Hints>
      <a
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
        className="sr-only z-50 rounded-lg bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        {t('skip')}
      </a>
      <div className="flex h-full">
        <nav aria-label={t('places')} className="flex w-18 shrink-0 flex-col items-center gap-1 border-r border-line bg-rail py-3">
          <img src="./icon.svg" alt="" className="mb-3 size-9" />
          <PlaceButton icon={Server} label={t('place.mcp')} here={place === 'mcp'} onGo={() => go('mcp')} />
          <PlaceButton icon={MessagesSquare} label={t('place.chat')} here={place === 'chat'} waiting={waiting} onGo={() => go('chat')} />
          <div className="mt-auto flex flex-col items-center gap-1">
            <LanguageMenu />
            <ThemeMenu theme={theme} />
            <About overview={overview} />
          </div>
        </nav>
        <div className="flex min-w-0 flex-1 flex-col">
          <Banners overview={overview} />
          {place !== 'chat' && <QuestionBanner onGo={answer} />}
          {place === 'mcp' ? (
            <McpPlace overview={overview} />
          ) : (
            <Suspense fallback={<p className="p-8 text-ink-soft">{t('loading')}</p>}>
              <ChatPlace overview={overview} answering={answering} />
            </Suspense>
          )}
        </div>
      </div>
    </Hints>
  );
}

function PlaceButton({ icon: Icon, label, here, waiting = 0, onGo }: { icon: LucideIcon; label: string; here: boolean; waiting?: number; onGo: () => void }) {
  return (
    <button
      type="button"
      aria-current={here ? 'page' : undefined}
      onClick={onGo}
      className={clsx(
        'relative flex w-14 flex-col items-center gap-0.5 rounded-xl py-2 text-tiny font-medium transition-colors',
        here ? 'bg-surface text-accent-text shadow-card dark:bg-raised' : 'text-ink-soft hover:bg-surface/60 dark:hover:bg-raised/50',
      )}
    >
      <Icon aria-hidden="true" className="size-5" strokeWidth={here ? 2.25 : 1.75} />
      {label}
      {/* For the eye alone: a banner or the card itself says it to the ear. */}
      {waiting > 0 && (
        <span aria-hidden="true" className="numbers absolute top-1 right-1.5 flex h-4.5 min-w-4.5 items-center justify-center rounded-full bg-warn px-1 text-[0.6875rem] leading-none font-semibold text-page">
          {waiting}
        </span>
      )}
    </button>
  );
}

const menuLook = 'z-50 min-w-36 animate-[rise_120ms_ease-out] rounded-xl border border-line bg-surface p-1 shadow-pop dark:bg-raised';
const itemLook =
  'flex items-center gap-2 rounded-lg px-2.5 py-1.5 text-small outline-none select-none data-[highlighted]:bg-accent-soft data-[state=checked]:font-semibold data-[state=checked]:text-accent-text';
const triggerLook = 'flex size-9 items-center justify-center rounded-xl text-ink-soft hover:bg-surface/60 hover:text-ink dark:hover:bg-raised/50';

function LanguageMenu() {
  const { t, language } = useWords();
  const { i18n } = useTranslation();
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger aria-label={t('language')} title={t('language')} className={triggerLook}>
        <Languages aria-hidden="true" className="size-4.5" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content side="right" align="end" sideOffset={6} className={menuLook}>
          <DropdownMenu.RadioGroup value={language} onValueChange={(to) => rememberLanguage(i18n, to as Language, window.localStorage)}>
            {Object.entries(languages).map(([code, name]) => (
              <DropdownMenu.RadioItem key={code} value={code} lang={code} className={itemLook}>
                {name}
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

const themes: Record<Theme, LucideIcon> = { system: Monitor, light: Sun, dark: Moon };

function ThemeMenu({ theme }: { theme: ThemeChoice }) {
  const { t } = useWords();
  const now = useTheme(theme);
  const Icon = themes[now];
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger aria-label={t('theme.title')} title={t('theme.title')} className={triggerLook}>
        <Icon aria-hidden="true" className="size-4.5" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content side="right" align="end" sideOffset={6} className={menuLook}>
          <DropdownMenu.RadioGroup value={now} onValueChange={(to) => theme.set(to as Theme)}>
            {(Object.keys(themes) as Theme[]).map((choice) => {
              const Sign = themes[choice];
              return (
                <DropdownMenu.RadioItem key={choice} value={choice} className={itemLook}>
                  <Sign aria-hidden="true" className="size-4" />
                  {t(`theme.${choice}`)}
                </DropdownMenu.RadioItem>
              );
            })}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** Tells the program once that the page is interactive, and whether the rules can be asked. */
function useReport(): void {
  const { transport } = useServices();
  const policy = usePolicy();
  const { data, isError } = useServerList();
  const told = useRef(false);
  const ready = policy.state !== 'loading' && (data !== undefined || isError);
  useEffect(() => {
    if (!ready || told.current) return;
    told.current = true;
    void transport
      .call('Report', {
        policy_loaded: policy.state === 'ready',
        policy_error: policy.state === 'failed' ? policy.message : '',
        servers: data?.servers.length ?? 0,
        transport: transport.kind,
        millis: Math.round(performance.now()),
      })
      // Nobody waits for the report; the page works without it.
      .catch(() => {});
  }, [ready, data, policy, transport]);
}
