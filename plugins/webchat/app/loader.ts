// The file of the script tag: shows the launcher, and loads the application when it is first opened or a message waits. It must stay below 2 kB.
import type { App } from './chat.js';
import css from './launcher.page.css';
import type { Config, Events, HostPage, Identity, Message } from './types.js';

type Listener = (detail: unknown) => void;

const CHECK_MS = 30_000;
const place = window as unknown as { posthornChat?: object };
const script = document.currentScript as HTMLScriptElement | null;
if (script && !place.posthornChat) start(script);

function start({ src, dataset }: HTMLScriptElement): void {
  const base = new URL('.', src).href;
  const key = `posthorn-chat:${base.split('/').at(-2)}`;
  const listeners: Record<string, Set<Listener>> = {};
  let user: Identity | undefined;
  let app: Promise<App> | undefined;

  customElements.define('posthorn-chat', class extends HTMLElement {});
  const element = document.createElement('posthorn-chat');
  const root = element.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  element.dataset.position = dataset.position ?? 'end';

  // The body is missing while the head is parsed, and libraries for page changes replace it.
  const observer = new MutationObserver(attach);
  attach();
  function attach(): void {
    const { documentElement, body } = document;
    observer.observe(documentElement, { childList: true });
    if (!body) return;
    observer.observe(body, { childList: true });
    if (element.isConnected) return;
    body.append(element);
    element.dispatchEvent(new Event('attached'));
  }

  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'launcher';
  // The label shows a failure.
  button.onclick = () => void api.open().catch(() => undefined);
  const label = (text: string) => {
    button.ariaLabel = button.title = text;
  };
  let language = dataset.language || document.documentElement.lang || navigator.language;
  const config: Promise<Config> = fetch(`${base}config`).then((response) => (response.ok ? response.json() : Promise.reject(response)));
  void config.then(
    ({ texts, language: other }) => {
      const known = [language, language.split('-')[0]!].find((one) => one in texts);
      language = known ?? (dataset.language || other);
      label(texts[language]?.launcher ?? 'Chat');
      button.ariaExpanded = 'false';
      root.append(button);
      void check();
      setInterval(check, CHECK_MS);
    },
    // Without the server there is no chat; the page works as before.
    () => undefined,
  );

  const load = (): Promise<App> => {
    app ??= config.then(async (config) => {
      const application = await import(base + config.app);
      // An error of a listener is one of the page, and must not stop the chat.
      const emit = <E extends keyof Events>(event: E, detail: Events[E]) => {
        for (const listener of listeners[event] ?? []) queueMicrotask(() => listener(detail));
      };
      button.onclick = null;
      return application.start({ base, key, element, root, button, config, language, user, emit } satisfies HostPage);
    });
    app.catch(() => {
      app = undefined;
      label('Chat: no connection. Try again.');
    });
    return app;
  };

  /** Loads the application when a message waits for the visitor, or for the server. */
  async function check(): Promise<void> {
    if (app || document.hidden) return;
    try {
      const { token, after } = JSON.parse(localStorage[key] ?? '{}');
      if (!token) return;
      if (Object.keys(localStorage).some((name) => name.startsWith(`${key}:queue`))) return void load();
      const answer = await fetch(`${base}messages?after=${after ?? 0}&limit=20`, { headers: { authorization: `Bearer ${token}` } });
      const { messages } = await answer.json();
      if (messages.some(({ direction }: Message) => direction === 'out')) void load();
    } catch {
      // Storage may be blocked, and the server away: the next check follows.
    }
  }

  const api = {
    open: () => load().then((app) => app.open()),
    close: () => app?.then((app) => app.close()),
    identify(given: Identity) {
      user = given;
      return app?.then((app) => app.identify(given));
    },
    /** For a logout: nothing of the visitor remains in this browser. */
    reset() {
      user = undefined;
      try {
        for (const name of Object.keys(localStorage)) if (name.startsWith(key)) localStorage.removeItem(name);
      } catch {
        // Blocked storage holds nothing.
      }
      return app?.then((app) => app.reset());
    },
    on(event: string, listener: Listener) {
      listeners[event] ??= new Set();
      listeners[event].add(listener);
      return () => listeners[event]?.delete(listener);
    },
  };
  place.posthornChat = api;
}
