import { catalogue } from './language.js';

export const texts = catalogue({ close: 'Close' });
