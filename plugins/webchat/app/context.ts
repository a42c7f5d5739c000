import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Chat } from './chat.js';
import type { Say } from './texts.js';

/** The values that every view reads. */
export interface Surroundings {
  readonly chat: Chat;
  readonly say: Say;
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
}

const Context = createContext<Surroundings | undefined>(undefined);
export const Provider = Context.Provider;
export const useChat = (): Surroundings => useContext(Context)!;
