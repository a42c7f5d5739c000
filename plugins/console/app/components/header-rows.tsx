import { texts } from './attempt-texts.js';
/** The rows of a table of HTTP headers, in their order. */
export const HeaderRows = ({ list }: { list: readonly (readonly string[])[] }) => (
  <>
    <thead class="unseen">
      <tr>
        <th scope="col">{texts.header}</th>
        <th scope="col">{texts.value}</th>
      </tr>
    </thead>
    <tbody>
      {list.map(([name, value], at) => (
        <tr key={at}>
          <th scope="row">
            <bdi>{name}</bdi>
          </th>
          <td>
            <bdi>{value}</bdi>
          </td>
        </tr>
      ))}
    </tbody>
  </>
);
