import { catalogue } from '../../../../core/web/language.js';

export const texts = catalogue({
  reading: 'Reading…',
  stop: 'Stop',
  stopped: 'Stopped: nothing was saved',
  notSaved: (reason: string) => `Not saved: ${reason}`,
  unmarkRows: (count: number) => `Unmark ${count} rows`,
  exportMarked: (count: number) => `Export ${count}`,
  exportAll: 'Export',
});
