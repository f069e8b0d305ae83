import { memo, type MouseEvent } from 'react';
import Markdown from 'react-markdown';
import gfm from 'remark-gfm';
import { useServices } from '@/app/services';

const plugins = [gfm];

/**
 * Text of a model. It is of a stranger: raw HTML is not rendered, nothing is
 * loaded from an address in it, and a link opens outside of the page.
 */
export const ModelText = memo(function ModelText({ text }: { text: string }) {
  const { transport } = useServices();
  const open = (event: MouseEvent, href: string) => {
    event.preventDefault();
    if (/^https?:\/\//i.test(href)) transport.openAddress(href);
  };
  return (
    <div className="prose-model">
      <Markdown
        remarkPlugins={plugins}
        skipHtml
        components={{
          a: ({ href = '', children }) => (
            <a href={href} rel="noreferrer noopener" title={href} onClick={(event) => open(event, href)}>
              {children}
            </a>
          ),
          // A picture's address would tell its owner what was read here.
          img: ({ src = '', alt = '' }) => <code>{`${alt} ${typeof src === 'string' ? src : ''}`.trim()}</code>,
          table: ({ children }) => (
            <div className="overflow-x-auto" tabIndex={0}>
              <table>{children}</table>
            </div>
          ),
          pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
        }}
      >
        {text}
      </Markdown>
    </div>
  );
});
