import { useSignal } from '@preact/signals';
import { Link } from 'wouter-preact';
import { Draw } from '../components/icons.js';
import { lazyPart } from '../components/lazy-part.js';
import { Menu } from '../components/menu.js';
import { SERVER } from '../data/address.js';
import { live } from '../data/live.js';
import { me } from '../data/operator.js';
import { type Theme, theme, themes } from '../data/preferences.js';
import { useQuery } from '../data/query.js';
import { useShortcuts } from '../data/shortcuts.js';
import { signOut, whyNotSignedOut } from '../data/sign-out.js';
import { useAdviceCount } from './advice-count.js';
import { ClockMenu } from './clock-menu.js';
import { isPaletteOpen } from './palette-state.js';
import { ShortcutHelp } from './shortcut-help.js';

const Palette = lazyPart(() => import('./palette.js'));
const REFERENCE = new URL('docs', SERVER).href;
const THEMES: Readonly<Record<Theme, string>> = { system: 'Theme of the system', light: 'Light theme', dark: 'Dark theme' };

/** The header of every page: search, clock, state of the event stream, theme and help. */
export function Header() {
  const isHelpOpen = useSignal(false);
  // The plugin of the sandbox serves it.
  const hasReference = useQuery<{ platform: { plugins: readonly { name: string }[] } }>('/platform').data?.platform.plugins.some(
    ({ name }) => name === 'sandbox',
  );
  useAdviceCount();
  const openPalette = (): void => {
    isPaletteOpen.value = true;
  };
  const openHelp = (): void => {
    isHelpOpen.value = true;
  };
  useShortcuts({
    '?': openHelp,
    'mod+k': openPalette,
    '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus(),
  });
  return (
    <header class="top">
      <Link href="/" class="brand">
        Posthorn
      </Link>
      <button type="button" class="search-button" onClick={openPalette}>
        <Draw name="search" />
        <span>Search and commands</span>
        <kbd>Ctrl K</kbd>
      </button>
      <div class="top-tools">
        <ClockMenu />
        <StreamPill />
        <SignedIn />
        {hasReference && (
          <a class="button plain docs" href={REFERENCE} target="_blank" rel="noreferrer">
            API reference
          </a>
        )}
        <Menu
          look="button plain round"
          label="Theme and sign-out"
          items={[
            ...themes.map((one) => ({
              id: one,
              label: THEMES[one],
              isChecked: theme.value === one,
              select: () => {
                theme.value = one;
              },
            })),
            ...(hasReference ? [{ id: 'docs', label: 'API reference', select: () => void open(REFERENCE, '_blank') }] : []),
            { id: 'sign-out', label: 'Sign out', ...signOutNote(), select: signOut },
          ]}
        >
          <Draw name="sun" />
        </Menu>
        <button type="button" class="button plain round" aria-label="Keyboard shortcuts" onClick={openHelp}>
          <Draw name="help" />
        </button>
      </div>
      {isPaletteOpen.value && (
        <Palette
          close={() => {
            isPaletteOpen.value = false;
          }}
        />
      )}
      {isHelpOpen.value && (
        <ShortcutHelp
          close={() => {
            isHelpOpen.value = false;
          }}
        />
      )}
    </header>
  );
}

/** The name of the operator and the roles; undefined for the admin key, as in a sandbox. */
function operatorTexts(): readonly [name: string, roles: string] | undefined {
  const operator = me.value?.operator;
  return operator && operator.id !== 'key' ? [operator.name, operator.roles.join(', ') || 'no role'] : undefined;
}

/** The operator who is signed in. Narrow pages show it in the menu with the sign-out. */
function SignedIn() {
  const texts = operatorTexts();
  return (
    texts && (
      <span class="operator" title={`Signed in as ${texts.join(', ')}`}>
        <bdi>{texts[0]}</bdi> <small>{texts[1]}</small>
      </span>
    )
  );
}

function signOutNote(): { readonly isDisabled?: boolean; readonly note?: string } {
  const why = whyNotSignedOut();
  const note = [operatorTexts()?.join(', '), why].filter((text) => text !== undefined).join('. ');
  return { ...(why !== undefined && { isDisabled: true }), ...(note !== '' && { note }) };
}

/** Whether changes on the platform arrive. */
function StreamPill() {
  const state = live.state.value;
  if (state === 'live')
    return (
      <span class="pill ok" title="This page shows changes of the platform as they happen">
        <span aria-hidden="true">●</span> live
      </span>
    );
  return (
    <span class="pill warn" role="status" title="The console connects again by itself and continues after the last event">
      <span aria-hidden="true">◐</span> {state === 'connecting' ? 'connecting' : 'not connected'}
    </span>
  );
}
