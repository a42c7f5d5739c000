import { render } from 'preact';
import { type App, createChat } from './chat.js';
import { Provider } from './context.js';
import { Shell } from './shell.js';
import css from './styles.page.css';
import { createTexts, localeOf } from './texts.js';
import { applyTheme } from './theme.js';
import type { HostPage } from './types.js';

/** Takes over from the loader, which calls it once. */
export function start(page: HostPage): App {
  const { root, config } = page;
  const chat = createChat(page);
  const { language, direction } = localeOf(page.language);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  applyTheme(sheet, config.theme);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  page.element.lang = language;
  // The launcher becomes the one of the application, and keeps the focus.
  render(
    <Provider value={{ chat, say: createTexts(config.texts[page.language]), language, direction }}>
      <Shell root={root} />
    </Provider>,
    root,
  );
  return chat;
}
