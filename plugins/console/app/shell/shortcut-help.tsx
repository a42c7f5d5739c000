import { Sheet } from '../../../../core/web/sheet.js';
import { pages } from './pages.js';

const keys: readonly (readonly [key: string, what: string])[] = [
  ['j, k', 'Next and previous entry of a list'],
  ['Enter', 'Open the selected entry, or the rows of a group'],
  ['x', 'Mark the selected entry of a list, for its export'],
  ['Esc', 'Close the detail, dialog or menu'],
  ['/', 'Filter the list'],
  ['←, →', 'Change the width of a column, on the line beside its title'],
  ['Ctrl K', 'Search pages, numbers and ids, and run commands'],
  ['?', 'Show this list'],
];

/** The keyboard shortcuts of the console. */
export const ShortcutHelp = ({ close }: { close: () => void }) => (
  <Sheet title="Keyboard shortcuts" close={close} look="dialog">
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
