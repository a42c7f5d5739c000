import { collection, connect, machine } from '@zag-js/combobox';
import { normalizeProps, useMachine } from '@zag-js/preact';
import { useId, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Sheet } from '../../../../core/web/sheet.js';
import { theme, themes } from '../data/preferences.js';
import { useQuery } from '../data/query.js';
import { signOut, whyNotSignedOut } from '../data/sign-out.js';
import { pathOf, usePluginPages } from '../frame/plugin-pages.js';
import { pages } from './pages.js';

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly run: () => void;
}

const MAX_SHOWN = 30;
const UUID = /^[0-9a-f-]{36}$/i;

/** Finds pages, numbers, webhooks, ids and commands by their names. */
export default function Palette({ close }: { close: () => void }) {
  return (
    <Sheet title="Search and commands" close={close} look="palette">
      <Search close={close} />
    </Sheet>
  );
}

function Search({ close }: { close: () => void }) {
  const [text, setText] = useState('');
  const entries = useEntries(text.trim());
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter(({ label, kind, id }) => words.every((word) => `${label} ${kind} ${id}`.toLowerCase().includes(word)));
  const shown = found.slice(0, MAX_SHOWN);
  const options = useMemo(
    () => collection({ items: shown, itemToValue: ({ id }) => id, itemToString: ({ label }) => label }),
    [shown.map(({ id }) => id).join(' ')],
  );
  const service = useMachine(machine as typeof machine, {
    id: useId(),
    collection: options,
    open: true,
    inputBehavior: 'autohighlight',
    selectionBehavior: 'clear',
    disableLayer: true,
    onInputValueChange: ({ inputValue }) => setText(inputValue),
    onSelect: ({ itemValue }) => {
      close();
      shown.find((entry) => entry.id === itemValue)?.run();
    },
    translations: { triggerLabel: 'Open', clearTriggerLabel: 'Clear' },
  });
  const api = connect(service, normalizeProps);
  return (
    // The combobox, which never closes its list, would keep Escape to itself.
    <div {...api.getRootProps()} onKeyDownCapture={({ key, isComposing }) => key === 'Escape' && !isComposing && close()}>
      <div {...api.getControlProps()}>
        <input
          {...api.getInputProps()}
          class="input"
          data-first
          aria-label="Page, name, id or command"
          placeholder="Page, name, id or command"
          autocomplete="off"
          spellcheck={false}
        />
      </div>
      <ul {...api.getContentProps()} class="palette-list">
        {shown.map((entry) => (
          <li key={entry.id} {...api.getItemProps({ item: entry })} class="menu-item">
            <span dir="auto">{entry.label}</span>
            <small>{entry.kind}</small>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="quiet">Nothing has this name. Ids must be whole.</p>}
    </div>
  );
}

/** Everything that can be found; an id of 36 characters can be of a message, a delivery or a conversation. */
function useEntries(text: string): Entry[] {
  const [, navigate] = useLocation();
  const contributed = usePluginPages('menu');
  const numbers =
    useQuery<{ numbers: readonly { uuid: string; name: string; address: string; kind: string }[] }>('/numbers').data?.numbers ?? [];
  const webhooks = useQuery<{ webhooks: readonly { uuid: string; name: string; url: string }[] }>('/webhooks').data?.webhooks ?? [];
  const go = (path: string) => () => navigate(path);
  return [
    ...(UUID.test(text)
      ? [
          { id: `${text} delivery`, label: `Delivery ${text}`, kind: 'id', run: go(`/deliveries/${text}`) },
          { id: `${text} why`, label: `Why did nothing happen? Message ${text}`, kind: 'id', run: go(`/why?message=${text}`) },
          { id: `${text} inbox`, label: `Conversation ${text}`, kind: 'id', run: go(`/inbox/${text}`) },
        ]
      : []),
    ...pages.map(({ path, title }) => ({ id: `page ${path}`, label: title, kind: 'Page', run: go(path) })),
    ...contributed.map((page) => ({
      id: `page ${pathOf(page)}`,
      label: page.title,
      kind: `Page of ${page.plugin}`,
      run: go(pathOf(page)),
    })),
    ...numbers.map(({ uuid, name, address, kind }) => ({
      id: uuid,
      label: `${name} ${address}`,
      kind: `Number, ${kind}`,
      run: go(`/numbers/${uuid}`),
    })),
    ...webhooks.map(({ uuid, name, url }) => ({ id: uuid, label: `${name || url} ${url}`, kind: 'Webhook', run: go(`/webhooks/${uuid}`) })),
    ...themes.map((one) => ({
      id: `theme ${one}`,
      label: `Theme: ${one}`,
      kind: 'Command',
      run: () => {
        theme.value = one;
      },
    })),
    ...(whyNotSignedOut() === undefined ? [{ id: 'sign out', label: 'Sign out', kind: 'Command', run: signOut }] : []),
  ];
}
