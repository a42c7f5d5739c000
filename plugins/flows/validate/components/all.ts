import type { ComponentType } from '../rule.js';
import { checkboxGroup, chipsSelector, dropdown, optIn, radioButtonsGroup } from './choices.js';
import { form, ifComponent, switchComponent } from './containers.js';
import { calendarPicker, datePicker } from './dates.js';
import { image, imageCarousel } from './images.js';
import { embeddedLink, footer, navigationList } from './links.js';
import { documentPicker, photoPicker } from './pickers.js';
import { textArea, textInput } from './text-inputs.js';
import { richText, textBody, textCaption, textHeading, textSubheading } from './texts.js';

/** Every component of the format, by its type. */
export const componentTypes: ReadonlyMap<string, ComponentType> = new Map(
  [
    textHeading,
    textSubheading,
    textBody,
    textCaption,
    richText,
    textInput,
    textArea,
    checkboxGroup,
    radioButtonsGroup,
    dropdown,
    chipsSelector,
    optIn,
    datePicker,
    calendarPicker,
    image,
    imageCarousel,
    embeddedLink,
    footer,
    photoPicker,
    documentPicker,
    form,
    ifComponent,
    switchComponent,
    navigationList,
  ].map((type) => [type.name, type]),
);
