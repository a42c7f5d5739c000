import { collection, connect, machine } from '@zag-js/combobox';
import { normalizeProps, useMachine } from '@zag-js/preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { languageOfPage } from '../../../../core/web/language.js';
import { Sheet } from '../../../../core/web/sheet.js';
import { pathOf as pathOfRecord } from '../components/record-link.js';
import { Time } from '../components/time.js';
import { reasonOf } from '../data/admin.js';
import { announce } from '../data/announce.js';
import { theme, themes } from '../data/preferences.js';
import { type FoundRecord, useSearch } from '../data/search.js';
import { signOut, whyNotSignedOut } from '../data/sign-out.js';
import { visits } from '../data/visits.js';
import { pathOf, usePluginPages } from '../frame/plugin-pages.js';
import { pages } from './pages.js';
import { texts } from './palette-texts.js';

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly note: string;
  /** A date-time. */
  readonly at?: string;
  readonly group: string;
  readonly run: () => void;
}

const GO = texts.pagesAndCommands;
/** The headings of kinds, in the order of their groups: what people have said and made, then records of the platform. That of another kind is its name. */
const HEADINGS: Readonly<Record<string, string>> = {
  contact: texts.contacts,
  conversation: texts.conversations,
  message: texts.messages,
  journey: texts.journeys,
  session: texts.sessions,
  flow: texts.flows,
  number: texts.numbers,
  webhook: texts.webhooks,
  delivery: texts.deliveries,
  call: texts.calls,
};
const KINDS = Object.keys(HEADINGS);
/** Before deliveries and calls come kinds of plugins. */
const placeOfKind = (kind: string): number => (KINDS.includes(kind) ? KINDS.indexOf(kind) : KINDS.indexOf('delivery') - 0.5);
/** The pages that create records. */
const CREATED = [
  ['/numbers/new', texts.newNumber],
  ['/channels/new', texts.newChannel],
  ['/webhooks/new', texts.newWebhook],
  ['/flows/new', texts.newFlow],
  ['/integrations/new', texts.newIntegration],
] as const;
const headingOf = (kind: string): string => HEADINGS[kind] ?? kind;

/** Finds pages and commands by their names, and records by their texts and ids. */
export default function Palette({ close }: { close: () => void }) {
  return (
    <Sheet title={texts.searchAndCommands} close={close} look="palette">
      <Search close={close} />
    </Sheet>
  );
}

function Search({ close }: { close: () => void }) {
  const [text, setText] = useState('');
  const commands = useCommands();
  const { results, isId, kinds, isSearching, failure, searchOn } = useSearch(text.trim());
  const opened = useOpened(isId ? undefined : text.trim());
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isNamed = ({ label, note }: Entry) => words.every((word) => `${label} ${note}`.toLowerCase().includes(word));
  const shown = [...commands.filter(isNamed), ...results.toSorted((a, b) => placeOfKind(a.kind) - placeOfKind(b.kind)).flatMap(opened)];
  const options = useMemo(
    () => collection({ items: shown, itemToValue: ({ id }) => id, itemToString: ({ label }) => label }),
    [shown.map(({ id }) => id).join(' ')],
  );
  const open = (entry: Entry | undefined): void => {
    close();
    entry?.run();
  };
  /** The text with which Enter came before the response, such as after an id was pasted. */
  const awaited = useRef('');
  useEffect(() => {
    if (text !== '' && awaited.current === text && !isSearching && shown.length > 0) open(shown[0]);
  }, [text, isSearching]);
  const service = useMachine(machine as typeof machine, {
    id: useId(),
    dir: languageOfPage.dir,
    collection: options,
    open: true,
    inputBehavior: 'autohighlight',
    selectionBehavior: 'clear',
    disableLayer: true,
    onInputValueChange: ({ inputValue }) => setText(inputValue),
    onSelect: ({ itemValue }) => open(shown.find((entry) => entry.id === itemValue)),
    translations: { triggerLabel: texts.open2, clearTriggerLabel: texts.clear },
  });
  const api = connect(service, normalizeProps);
  const partly = kinds.filter(({ looked_back_to }) => looked_back_to !== null);
  const status = isSearching ? texts.searching : texts.found(shown.length);
  return (
    // The combobox, which never closes its list, would keep Escape to itself.
    <div
      {...api.getRootProps()}
      onKeyDownCapture={(event) => {
        if (event.isComposing) return;
        if (event.key === 'Escape') close();
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
        const { value } = event.target;
        const isShown = value === text && !(isSearching && shown.length === 0);
        // The list may have changed since an entry was highlighted.
        if (isShown && shown.some(({ id }) => id === api.highlightedValue)) return;
        event.stopPropagation();
        if (isShown && shown.length > 0) open(shown[0]);
        else awaited.current = value;
      }}
    >
      <div {...api.getControlProps()}>
        <input
          {...api.getInputProps()}
          class="input"
          data-first
          aria-label={texts.wordsAnIdAPage}
          placeholder={texts.wordsAnIdAPage}
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
        />
      </div>
      <div {...api.getContentProps()} class="palette-list">
        {[...new Set(shown.map(({ group }) => group))].map((group) => (
          <div key={group} {...api.getItemGroupProps({ id: group })}>
            <div {...api.getItemGroupLabelProps({ htmlFor: group })} class="palette-group">
              {group}
            </div>
            {shown
              .filter((entry) => entry.group === group)
              .map((entry) => (
                <div key={entry.id} {...api.getItemProps({ item: entry })} class="menu-item">
                  <span dir="auto">{entry.label}</span>
                  {entry.at !== undefined && (
                    <small>
                      <Time at={entry.at} />
                    </small>
                  )}
                  {entry.note !== '' && <small dir="auto">{entry.group === GO ? entry.note : marked(entry.note, words)}</small>}
                </div>
              ))}
          </div>
        ))}
      </div>
      {failure !== undefined && <p role="alert">{failure}</p>}
      <p class={shown.length === 0 && text !== '' ? 'quiet' : 'unseen'} role="status">
        {text === '' ? '' : shown.length === 0 && !isSearching ? texts.nothingHasTheseWords : status}
      </p>
      {partly.length > 0 && (
        <ul class="palette-rest">
          {partly.map((one) => (
            <li key={one.kind}>
              {texts.sinceWereSearched(headingOf(one.kind), <Time at={one.looked_back_to!} />)}{' '}
              {one.next !== null && (
                <button type="button" class="button plain" onClick={() => void searchOn(one)}>
                  {texts.searchOlder(headingOf(one.kind).toLowerCase())}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The entries that open records. The only message is also explained, and the conversation of the only contact opened. */
function useOpened(words: string | undefined): (found: FoundRecord, at: number, all: readonly FoundRecord[]) => Entry[] {
  const [, navigate] = useLocation();
  return (found, _, all) => {
    const { kind, id, title, text, at, on } = found;
    const entry = (what: string, label: string, note: string, path: string): Entry => ({
      id: `${what} ${kind} ${id}`,
      label,
      note,
      ...(kind !== 'number' && { at }),
      group: headingOf(kind),
      run: () => {
        visits.value++;
        navigate(path);
      },
    });
    const opens = entry('open', title, kind === 'delivery' || kind === 'call' ? withoutMarks(text) : text, placeOf(found, words));
    if (all.length > 1) return [opens];
    if (kind === 'contact' && on) return [opens, entry('talk', texts.conversationWith(title), id, pathOfRecord(on.kind, on.id))];
    if (kind !== 'message') return [opens];
    return [opens, entry('why', texts.why2(title), id, `/why?message=${encodeURIComponent(id)}`)];
  };
}

/** An excerpt of JSON in words: without escapes, quotes and brackets. */
const withoutMarks = (text: string): string =>
  text
    .replace(/\\+(?:u[0-9a-f]{4}|[nrt])?/gi, '')
    .replace(/["{}[\]]+:["{}[\]]*/g, ': ')
    .replace(/["{}[\]]*,["{}[\]]*/g, ', ')
    .replace(/["{}[\]]/g, '');

/** A text with the words of the search marked. */
function marked(text: string, words: readonly string[]) {
  const sought = words.map((word) => word.replaceAll('"', '')).filter(Boolean);
  if (sought.length === 0) return text;
  const parts = text.split(new RegExp(`(${sought.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'gi'));
  return parts.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part));
}

/** The page that shows a result, at its place. @param words to be marked in bodies */
function placeOf({ kind, id, on, line }: FoundRecord, words: string | undefined): string {
  const record = (kind === 'contact' ? undefined : on) ?? { kind, id };
  const path = record.kind === 'flow' ? `/flows/${encodeURIComponent(record.id)}` : pathOfRecord(record.kind, record.id);
  if (kind === 'message') return `${path}?message=${encodeURIComponent(id)}`;
  if (kind === 'session') return `${path}?tab=sessions&session=${encodeURIComponent(id)}`;
  if (line !== undefined) return `${path}?${kind === 'flow' ? 'view=editor' : 'tab=text'}&line=${line}`;
  return words !== undefined && (kind === 'call' || kind === 'delivery') ? `${path}?find=${encodeURIComponent(words)}` : path;
}

/** Pages and commands, which need no server. */
function useCommands(): Entry[] {
  const [, navigate] = useLocation();
  const contributed = usePluginPages('menu');
  const entry = (id: string, label: string, note: string, run: () => void): Entry => ({ id, label, note, group: GO, run });
  return [
    ...pages.map(({ path, title }) => entry(`page ${path}`, title, texts.page, () => navigate(path))),
    ...contributed.map((page) => entry(`page ${pathOf(page)}`, page.title, texts.pageOf(page.plugin), () => navigate(pathOf(page)))),
    ...CREATED.map(([path, label]) => entry(`new ${path}`, label, texts.command, () => navigate(path))),
    ...themes.map((one) =>
      entry(`theme ${one}`, texts.theme(one), texts.command, () => {
        theme.value = one;
      }),
    ),
    ...(document.querySelector('#page .uplot canvas') === null
      ? []
      : [entry('charts', texts.saveCharts, texts.command, () => void savedCharts())]),
    ...(whyNotSignedOut() === undefined ? [entry('sign out', texts.signOut, texts.command, signOut)] : []),
  ];
}

async function savedCharts(): Promise<void> {
  try {
    announce(await (await import('../exports/charts.js')).saveCharts());
  } catch (error) {
    announce(texts.notSaved(reasonOf(error)));
  }
}
