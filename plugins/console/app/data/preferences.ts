import { computed, effect, signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const THEME_KEY = 'posthorn-console-theme';

/** The theme that the user chose, stored in the browser. */
export const theme = signal<Theme>(storedTheme());

const darkness = matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(darkness.matches);
darkness.addEventListener('change', () => {
  isSystemDark.value = darkness.matches;
});

/** The theme that the page has, for frames in it. */
export const shownTheme = computed(() => (theme.value !== 'system' ? theme.value : isSystemDark.value ? 'dark' : 'light'));

/** Applies the theme now and whenever it changes. */
export const startTheme = (): void =>
  void effect(() => {
    const { dataset } = document.documentElement;
    if (theme.value === 'system') delete dataset.theme;
    else dataset.theme = theme.value;
    try {
      localStorage.setItem(THEME_KEY, theme.value);
    } catch {
      // Without storage the choice lasts until the page is closed.
    }
  });

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(THEME_KEY);
    return themes.find((one) => one === stored) ?? 'system';
  } catch {
    return 'system';
  }
}
