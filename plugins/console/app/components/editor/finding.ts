import { search, searchKeymap } from '@codemirror/search';
import { keymap } from '@codemirror/view';

/** The panel that finds and replaces, with its keys. */
export const finding = [search(), keymap.of(searchKeymap)];

export { openSearchPanel } from '@codemirror/search';
