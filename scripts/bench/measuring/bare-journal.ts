// Minimal durable storage: appends lines to a file, with one sync for all that are pending (group commit).
import { type FileHandle, open } from 'node:fs/promises';

export interface BareJournal {
  append(line: string): Promise<void>;
  close(): Promise<void>;
}

export async function bareJournal(path: string): Promise<BareJournal> {
  const file: FileHandle = await open(path, 'a');
  let lines: string[] = [];
  let waiting: (() => void)[] = [];
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    await new Promise(setImmediate);
    while (lines.length > 0) {
      const [text, callbacks] = [lines.join(''), waiting];
      lines = [];
      waiting = [];
      await file.write(text);
      await file.datasync();
      for (const notify of callbacks) notify();
    }
    working = undefined;
  }

  return {
    append(line) {
      lines.push(line);
      const durable = new Promise<void>((resolve) => waiting.push(resolve));
      working ??= work();
      return durable;
    },
    async close() {
      await working;
      await file.close();
    },
  };
}
