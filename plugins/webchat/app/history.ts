import { signal } from '@preact/signals';
import type { Message } from './types.js';

/** The messages of the conversation that this tab knows, oldest first, each once. */
export function createHistory() {
  const messages = signal<readonly Message[]>([]);
  return {
    messages,
    /** Adds messages, or replaces what is known of them. @returns those that were not known */
    merge(given: readonly Message[]): readonly Message[] {
      const known = new Map(messages.value.map((message) => [message.id, message]));
      const added = given.filter(({ id }) => !known.has(id));
      for (const message of given) known.set(message.id, message);
      messages.value = [...known.values()].sort((a, b) => a.position - b.position);
      return added;
    },
    change(which: (message: Message) => boolean, change: Partial<Message>) {
      messages.value = messages.value.map((message) => (which(message) ? { ...message, ...change } : message));
    },
    clear() {
      messages.value = [];
    },
  };
}
