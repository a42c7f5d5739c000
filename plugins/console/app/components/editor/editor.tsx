import { lazyPart } from '../lazy-part.js';
import type { EditorProps } from './editor-props.js';

/** An editor of code: JSON or a notebook. Its script is loaded when an editor is first shown. */
export const Editor = lazyPart<EditorProps>(() => import('./code-editor.js'));
