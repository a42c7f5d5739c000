/** A place in a text: lines and columns start at 1, columns are UTF-16 code units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A problem at a place of the text. */
export interface Diagnostic extends TextPosition {
  /** Behind the last character. Default: the word at the place. */
  readonly end?: TextPosition;
  readonly severity: 'error' | 'warning' | 'hint';
  readonly message: string;
  /** A replacement that the user can apply with a click, or with Ctrl+. where the problem is. */
  readonly fix?: Fix;
}

export interface Fix {
  /** The text of the button, such as `Change to TextInput`. */
  readonly label: string;
  readonly insert: string;
  /** The range that it replaces. Default: that of the problem. */
  readonly from?: TextPosition;
  readonly to?: TextPosition;
}

/** Completions of the text between two offsets, as the notebooks' `completionsAt` and the admin API return them. */
export interface Completions {
  readonly from: number;
  readonly to: number;
  readonly options: readonly {
    readonly label: string;
    /** The icon: `property`, `text`, `function`, `variable`, `keyword`, `class`, or a kind of a notebook's completion. */
    readonly kind: string;
    readonly detail: string;
    /** The text to insert, if it is not the label. */
    readonly insert?: string | undefined;
    /** The range of `insert` that is selected afterwards, so that typing replaces it. */
    readonly select?: { readonly from: number; readonly to: number } | undefined;
  }[];
}

/** A replacement of a range of the text, with offsets in UTF-16 code units. */
export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** The text of an editor and the steps that can be undone, from one editor of it to the next. */
export interface KeptText {
  stored?: unknown;
}

/** The methods of an editor that is shown. */
export interface EditorControls {
  /** Selects the word at a place, or the text up to `end`, scrolls there and moves the focus into the editor. */
  goTo(place: TextPosition, end?: TextPosition): void;
  /** Selects the next problem behind the cursor, or the previous one. Returns undefined if there is none. */
  step(by: 1 | -1): Diagnostic | undefined;
  /** Replaces the whole text as one step that can be undone, such as by a formatted one. The cursor stays in its line. */
  replace(text: string): void;
  /** Replaces ranges as one step of its own; or undoes or repeats one. Returns whether there was one. The focus stays where it is. */
  change(change: readonly TextChange[] | 'undo' | 'redo'): boolean;
  focus(): void;
}

export interface EditorProps {
  /** The text. If it changes to another one than the editor reported last, the editor shows it. */
  readonly value: string;
  readonly language: 'json' | 'notebook';
  /** Outlasts the editor: the next one begins with its steps. */
  readonly kept?: KeptText | undefined;
  /** The name of the editor for screen readers. */
  readonly label: string;
  readonly isReadOnly?: boolean;
  /** Of the text that was reported last; undefined while they are being checked, which keeps the previous ones. */
  readonly diagnostics?: readonly Diagnostic[] | undefined;
  /** Offers completions at an offset of the text; it may call the server. */
  readonly complete?: (text: string, offset: number) => Promise<Completions>;
  readonly onChange?: (value: string) => void;
  /** The place of the cursor whenever it moves. */
  readonly onCursor?: (place: TextPosition) => void;
  /** Receives the controls when the editor is shown, and undefined when it is hidden. */
  readonly controls?: (controls: EditorControls | undefined) => void;
}
