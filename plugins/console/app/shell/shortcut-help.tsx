import { Sheet } from '../../../../core/web/sheet.js';
import { pages } from './pages.js';
import { texts } from './texts.js';

const keys: readonly (readonly [key: string, what: string])[] = [
  ['j, k', texts.nextAndPreviousEntryOf],
  ['Enter', texts.openTheSelectedEntry],
  ['x', texts.markTheSelectedEntry],
  ['Esc', texts.closeTheDetailDialogOr],
  ['/', texts.filterTheList],
  ['←, →', texts.changeTheWidth],
  [texts.ctrlK, texts.searchPagesNumbersAndIds],
  ['?', texts.showThisList],
];

/** The keyboard shortcuts of the console. */
export const ShortcutHelp = ({ close }: { close: () => void }) => (
  <Sheet title={texts.keyboardShortcuts} close={close} look="dialog">
    <table class="keys">
      <tbody>
        {[...keys, ...pages.map(({ key, title }) => [`g ${key}`, title] as const)].map(([key, what]) => (
          <tr key={key}>
            <th scope="row">
              <kbd>{key}</kbd>
            </th>
            <td>{what}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Sheet>
);
