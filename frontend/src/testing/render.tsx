import { render, type RenderResult } from '@testing-library/react';
import { I18nextProvider } from 'react-i18next';
import { App } from '@/app/App';
import type { PolicyState } from '@/app/policy';
import { createServices, ServicesProvider } from '@/app/services';
import { ThemeChoice } from '@/theme/theme';
import { startWords, type Language } from '@/words';
import type { FakeTransport } from '@/bridge/fake';

/** Shows the whole page over a fake program. */
export function showPage(transport: FakeTransport, policy: PolicyState, language: Language = 'en'): RenderResult {
  const services = createServices(transport);
  const theme = new ThemeChoice(document.documentElement, window.localStorage);
  return render(
    <I18nextProvider i18n={startWords(language)}>
      <ServicesProvider services={services} policy={policy}>
        <App theme={theme} />
      </ServicesProvider>
    </I18nextProvider>,
  );
}
