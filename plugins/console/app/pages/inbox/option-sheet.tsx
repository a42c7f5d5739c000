import { useMemo, useState } from 'preact/hooks';
import type { MessageRecord, NumberRecord } from '#core';
import { Sheet } from '../../../../../core/web/sheet.js';
import { type Posting, postingOf, type Sender } from './contact-messages.js';
import { contentOf, type Option } from './content.js';
import { texts } from './dialog-texts.js';
import { PostingView } from './posting-view.js';

interface OptionSheetProps {
  readonly question: MessageRecord;
  readonly number: NumberRecord;
  readonly sender: Sender;
  readonly close: () => void;
  /** Receives the call for the chosen row, as it was shown. */
  readonly choose: (posting: Posting) => void;
}

/** The rows of a list as a phone shows them, with what tapping the chosen row posts. */
export default function OptionSheet({ question, number, sender, close, choose }: OptionSheetProps) {
  const { action = {}, header } = contentOf(question).interactive ?? {};
  const sections = action.sections ?? [];
  const [chosen, setChosen] = useState<Option>();
  const posting = useMemo(() => chosen && postingOf(number, sender, { kind: 'tap', option: chosen, question }), [chosen]);
  return (
    <Sheet title={header?.text ?? action.button ?? texts.choose} close={close}>
      <div class="form">
        {sections.map((section, at) => (
          <fieldset key={at} class="rows">
            <legend class={section.title ? '' : 'unseen'} dir="auto">
              {section.title ?? texts.rows}
            </legend>
            {section.rows.map((row) => (
              <label key={row.id} class="row-option">
                <input type="radio" name="row" checked={chosen?.id === row.id} onChange={() => setChosen(row)} />
                <span>
                  <strong dir="auto">{row.title}</strong>
                  {row.description && <small dir="auto">{row.description}</small>}
                </span>
              </label>
            ))}
          </fieldset>
        ))}
        <button type="button" class="button" disabled={!posting} onClick={() => posting && choose(posting)}>
          {texts.send}
        </button>
        {posting && (
          <details class="preview">
            <summary>{texts.bodyThatThisTapPosts}</summary>
            <PostingView posting={posting} />
          </details>
        )}
      </div>
    </Sheet>
  );
}
