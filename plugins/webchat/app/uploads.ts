import { signal } from '@preact/signals';
import { type Api, Refused } from './api.js';
import { type Queue, uuid } from './queue.js';

/** A file that is being uploaded. The queue then sends the message with it. Files do not outlive the page. */
export interface Upload {
  readonly id: string;
  readonly file: File;
  readonly caption: string;
  /** From 0 to 1. */
  readonly progress: number;
  /** Set when it has failed: the status of the refusal, or 0 for the network. */
  readonly failed?: number;
}

export function createUploads(api: Api, queue: Queue) {
  const all = signal<readonly Upload[]>([]);
  const running = new Map<string, AbortController>();
  const change = (id: string, values: Partial<Upload>): void => {
    all.value = all.value.map((one) => (one.id === id ? { ...one, ...values } : one));
  };
  const remove = (id: string): void => {
    running.get(id)?.abort();
    running.delete(id);
    all.value = all.value.filter((one) => one.id !== id);
  };

  async function run({ id, file, caption }: Upload): Promise<void> {
    const aborting = new AbortController();
    running.set(id, aborting);
    try {
      const stored = await api.upload<{ id: string }>(file, (progress) => change(id, { progress }), aborting.signal);
      if (running.get(id) !== aborting) return;
      queue.add({ type: 'file', file: stored.id, name: file.name, ...(caption !== '' && { caption }) });
      remove(id);
    } catch (error) {
      if (running.get(id) === aborting) change(id, { failed: error instanceof Refused ? error.status : 0 });
    }
  }

  return {
    all,
    add(file: File, caption: string) {
      const upload = { id: uuid(), file, caption, progress: 0 };
      all.value = [...all.value, upload];
      void run(upload);
    },
    again(id: string) {
      const upload = all.value.find((one) => one.id === id);
      if (!upload) return;
      const { failed: _, ...rest } = upload;
      all.value = all.value.map((one) => (one.id === id ? { ...rest, progress: 0 } : one));
      void run(upload);
    },
    remove,
    clear() {
      for (const { id } of all.value) remove(id);
    },
  };
}
