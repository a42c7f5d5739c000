import {
  array,
  boolean,
  type ComponentType,
  integer,
  name,
  oneOf,
  outsideForm,
  type Property,
  type Rule,
  required,
  string,
} from '../rule.js';

const MAX_FILES = 30;
const MAX_FILE_KIB = 25_600;

const below = (folder: string, ...names: readonly string[]): string[] => names.map((name) => `${folder}/${name}`);

const mimeTypes = [
  ...below('application', 'gzip', 'msword', 'pdf', 'vnd.ms-excel', 'vnd.ms-powerpoint', 'x-7z-compressed', 'zip'),
  ...below('application', ...['presentation', 'spreadsheet', 'text'].map((kind) => `vnd.oasis.opendocument.${kind}`)),
  ...below(
    'application',
    ...['presentationml.presentation', 'spreadsheetml.sheet', 'wordprocessingml.document'].map(
      (kind) => `vnd.openxmlformats-officedocument.${kind}`,
    ),
  ),
  ...below('image', 'avif', 'gif', 'heic', 'heif', 'jpeg', 'png', 'tiff', 'webp'),
  'text/plain',
  ...below('video', 'mp4', 'mpeg'),
];

/** One text for all files, or a reference to an object with a text for each file. */
const errorMessage: Rule = { kind: 'string', isDynamic: true, accepts: ['object'] };

const picker = (name_: string, what: string, own: Readonly<Record<string, Property>>): ComponentType => ({
  name: name_,
  properties: {
    name: required(name),
    label: required(string(80)),
    description: string(300),
    ...own,
    'max-file-size-kb': integer({ from: 1, to: MAX_FILE_KIB }),
    [`min-uploaded-${what}`]: integer({ from: 0, to: MAX_FILES }),
    [`max-uploaded-${what}`]: integer({ from: 1, to: MAX_FILES }),
    enabled: boolean,
    'error-message': outsideForm(errorMessage),
  },
  value: 'array',
  isPicker: true,
  bounds: [{ min: `min-uploaded-${what}`, max: `max-uploaded-${what}` }],
  inForm: true,
  inIf: false,
  inSwitch: false,
});

export const photoPicker = picker('PhotoPicker', 'photos', { 'photo-source': oneOf('camera_gallery', 'camera', 'gallery') });

export const documentPicker = picker('DocumentPicker', 'documents', { 'allowed-mime-types': array(oneOf(...mimeTypes)) });
