import { setNonce } from 'get-nonce';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { I18nextProvider } from 'react-i18next';
import { begin, Boot, type Beginning } from '@/app/boot';
import { startPolicy, type PolicyState } from '@/app/policy';
import { ThemeChoice } from '@/theme/theme';
import { chooseLanguage, startWords } from '@/words';
import '@/theme/theme.css';

// Styles that a component sets at run time carry the nonce of this answer.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
if (nonce && !nonce.startsWith('__')) setNonce(nonce);

const words = startWords(chooseLanguage(window.localStorage, navigator.languages));
const theme = new ThemeChoice(document.documentElement, window.localStorage);
const beginning = begin();

function Page() {
  const [policy, setPolicy] = useState<PolicyState>({ state: 'loading' });
  const [begun, setBegun] = useState<Beginning | null>(null);
  useEffect(() => {
    void beginning.then(setBegun);
    void startPolicy().then(setPolicy);
  }, []);
  return <I18nextProvider i18n={words}>{begun && <Boot beginning={begun} policy={policy} theme={theme} />}</I18nextProvider>;
}

createRoot(document.getElementById('root') as HTMLElement).render(<Page />);
