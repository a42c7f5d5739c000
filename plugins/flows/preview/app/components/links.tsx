import { Chevron } from '../../../../../core/web/icons.js';
import { type ComponentProps, fieldsOf, listOf, shownText } from '../definition.js';
import { displayText, resolve, resolveComponent } from '../evaluate.js';
import { useStage } from '../stage.js';
import { texts } from '../texts.js';
import { pictureOf } from './images.js';
import { renderText } from './render-text.js';

export function EmbeddedLink({ component }: ComponentProps) {
  const { scope, dispatch } = useStage();
  return (
    <button type="button" class="link embedded" dir="auto" onClick={() => dispatch({ kind: 'act', action: component['on-click-action'] })}>
      {renderText(displayText(component.text, scope))}
    </button>
  );
}

export function NavigationList({ component }: ComponentProps) {
  const { scope, dispatch } = useStage();
  const { label, description, 'media-size': size, name } = resolveComponent({ ...component, 'list-items': undefined }, scope);
  // The session resolves the actions of items when they run; the rest of an item is resolved here.
  const source = typeof component['list-items'] === 'string' ? resolve(component['list-items'], scope) : component['list-items'];
  const listName = shownText(name);
  return (
    <section class="navigation" aria-label={shownText(label) || texts.list}>
      {shownText(label) !== '' && (
        <h2 class="subheading" dir="auto">
          {renderText(label)}
        </h2>
      )}
      {shownText(description) !== '' && (
        <p class="quiet" dir="auto">
          {renderText(description)}
        </p>
      )}
      <ul class={size === 'large' ? 'large-media' : ''}>
        {listOf(source)
          .map(fieldsOf)
          .map((definition) => {
            const { 'on-click-action': itemAction, ...displayed } = definition;
            const item = resolveComponent({ type: 'item', ...displayed }, scope);
            const id = shownText(item.id);
            return (
              <li key={id}>
                <button
                  type="button"
                  class="row"
                  onClick={() => dispatch({ kind: 'choose', list: listName, item: id, action: itemAction ?? component['on-click-action'] })}
                >
                  <Item item={item} />
                </button>
              </li>
            );
          })}
      </ul>
    </section>
  );
}

function Item({ item }: { item: Readonly<Record<string, unknown>> }) {
  const [main, start, end] = [fieldsOf(item['main-content']), fieldsOf(item.start), fieldsOf(item.end)];
  const picture = pictureOf(start.image);
  return (
    <>
      {picture && <img class="thumb" src={picture} alt={shownText(start['alt-text'])} />}
      <span class="row-text">
        <span class="row-title">
          <bdi>{renderText(main.title)}</bdi>
          {shownText(item.badge) !== '' && <span class="badge">{renderText(item.badge)}</span>}
        </span>
        {[main.description, main.metadata].map(
          (text, i) =>
            shownText(text) !== '' && (
              <span key={i} class="row-more">
                <bdi>{renderText(text)}</bdi>
              </span>
            ),
        )}
        {listOf(item.tags).length > 0 && (
          <span class="tags">
            {listOf(item.tags).map((tag, i) => (
              <span key={i} class="tag" dir="auto">
                {renderText(tag)}
              </span>
            ))}
          </span>
        )}
      </span>
      {Object.keys(end).length > 0 && (
        <span class="row-end">
          {[end.title, end.description, end.metadata].map(
            (text, i) =>
              shownText(text) !== '' && (
                <span key={i}>
                  <bdi>{renderText(text)}</bdi>
                </span>
              ),
          )}
        </span>
      )}
      <Chevron />
    </>
  );
}
