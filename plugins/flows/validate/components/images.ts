import {
  array,
  type ComponentType,
  integer,
  number,
  oneOf,
  image as picture,
  required,
  staticObject,
  staticOneOf,
  string,
} from '../rule.js';

export const image: ComponentType = {
  name: 'Image',
  properties: {
    src: required(picture(300)),
    width: integer(),
    height: integer(),
    'scale-type': staticOneOf('contain', 'cover'),
    'aspect-ratio': number,
    'alt-text': string(),
  },
  recommends: [{ property: 'alt-text', code: 'MISSING_ALT_TEXT', why: 'screen readers cannot describe the image' }],
  inForm: true,
  inIf: true,
  inSwitch: true,
};

export const imageCarousel: ComponentType = {
  name: 'ImageCarousel',
  properties: {
    images: required(
      array(staticObject({ src: required(picture(300)), 'alt-text': required(string()) }), {
        min: 1,
        max: 3,
        declares: { src: 'string', 'alt-text': 'string' },
      }),
    ),
    'aspect-ratio': oneOf('4:3', '16:9'),
    'scale-type': oneOf('contain', 'cover'),
  },
  inForm: true,
  inIf: false,
  inSwitch: false,
};
