/** The keys of a terminal, each with its action. */
export interface Keys {
  readonly [key: string]: { readonly does: string; readonly press: () => void };
}

/** The standard input of a terminal. */
export interface KeyInput {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  on(event: 'data', listen: (data: Buffer) => void): unknown;
  unref?(): unknown;
}

const CTRL_C = '\u0003';

/** The keys and the action of each, in one line. */
export const keyHelp = (keys: Keys): string =>
  `Press ${Object.entries(keys)
    .map(([key, { does }]) => `${key} ${does}`)
    .join(', ')}.`;

/**
 * Runs the action of each pressed key. A terminal that sends keys one by one no longer turns Ctrl-C into a signal, so `onInterrupt` runs
 * instead. @returns a function that returns the terminal to lines
 */
export function listenForKeys(input: KeyInput, keys: Keys, onInterrupt: () => void): () => void {
  if (!input.isTTY || !input.setRawMode) return () => undefined;
  input.setRawMode(true);
  input.on('data', (data) => {
    for (const key of data.toString()) {
      if (key === CTRL_C) onInterrupt();
      else if (Object.hasOwn(keys, key)) keys[key]!.press();
    }
  });
  input.unref?.();
  return () => void input.setRawMode?.(false);
}
