import { Sheet } from '../../../../core/web/sheet.js';
import { type Action, CopyAs } from './copy.js';
import { texts } from './texts.js';

export interface NamedAction {
  readonly label: string;
  readonly action: Action;
}

/** The actions of a menu, each with its call to copy: an item of a menu cannot have a menu of its own. */
export default function CopySheet({ title, actions, close }: { title: string; actions: readonly NamedAction[]; close: () => void }) {
  return (
    <Sheet title={title} look="dialog" close={close}>
      <ul class="copy-list">
        {actions.map(({ label, action }) => (
          <li key={label}>
            <span dir="auto">{label}</span>
            <CopyAs action={action} label={texts.copyAs2(label)} />
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
