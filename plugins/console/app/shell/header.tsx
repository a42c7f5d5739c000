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
import { texts } from './texts.js';

const Palette = lazyPart(() => import('./palette.js'));
const REFERENCE = new URL('docs', SERVER).href;
const THEMES: Readonly<Record<Theme, string>> = { system: texts.themeOfTheSystem, light: texts.lightTheme, dark: texts.darkTheme };

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
        {texts.posthorn}
      </Link>
      <button type="button" class="search-button" onClick={openPalette}>
        <Draw name="search" />
        <span>{texts.searchAndCommands}</span>
        <kbd>{texts.ctrlK}</kbd>
      </button>
      <div class="top-tools">
        <ClockMenu />
        <StreamPill />
        <SignedIn />
        {hasReference && (
          <a class="button plain docs" href={REFERENCE} target="_blank" rel="noreferrer">
            {texts.apiReference}
          </a>
        )}
        <Menu
          look="button plain round"
          label={texts.themeAndSignOut}
          items={[
            ...themes.map((one) => ({
              id: one,
              label: THEMES[one],
              isChecked: theme.value === one,
              select: () => {
                theme.value = one;
              },
            })),
            ...(hasReference ? [{ id: 'docs', label: texts.apiReference, select: () => void open(REFERENCE, '_blank') }] : []),
            { id: 'sign-out', label: texts.signOut, ...signOutNote(), select: signOut },
          ]}
        >
          <Draw name="sun" />
        </Menu>
        <button type="button" class="button plain round" aria-label={texts.keyboardShortcuts} onClick={openHelp}>
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
  return operator && operator.id !== 'key' ? [operator.name, operator.roles.join(', ') || texts.noRole] : undefined;
}

/** The operator who is signed in. Narrow pages show it in the menu with the sign-out. */
function SignedIn() {
  const shown = operatorTexts();
  return (
    shown && (
      <span class="operator" title={texts.signedInAs(shown.join(', '))}>
        <bdi>{shown[0]}</bdi> <small>{shown[1]}</small>
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
      <span class="pill ok" title={texts.thisPageShowsChangesOf}>
        <span aria-hidden="true">●</span> {texts.live}
      </span>
    );
  return (
    <span class="pill warn" role="status" title={texts.theConsoleConnectsAgainBy}>
      <span aria-hidden="true">◐</span> {state === 'connecting' ? texts.connecting : texts.notConnected}
    </span>
  );
}
