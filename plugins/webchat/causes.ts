import { type Causes, conflict, mistake, setting } from '#core';

/** The causes of refusals by this plugin. */
export const causes: Causes = {
  webchat_not_found: mistake('The number is not a connected web chat.', 'Check the uuid in the script tag, or connect the number.'),
  webchat_session_unknown: mistake(
    'The session of the visitor is unknown or has expired.',
    'Open a session with `POST /webchat/{number}/sessions`; the widget does that itself.',
  ),
  webchat_identity_required: mistake(
    'The web chat serves identified users only.',
    'Let the website pass the signed id of the user to the widget.',
  ),
  webchat_identity_wrong: mistake(
    'The id of the user is not signed with the identity secret, or the JWT has expired.',
    'Sign the id on the server of the website, as the page of the plugin shows.',
  ),
  webchat_no_identity: setting('The web chat has no identity secret.', 'Connect the number again with `identity_secret`.'),
  webchat_client_id_taken: conflict('Another visitor has sent a message with this `client_id`.', 'Send the message with a new uuid.'),
  webchat_option_unknown: mistake('The message offers no option with this index.', 'Tap an option of a message of this visitor.'),
  webchat_file_unknown: mistake('The visitor has not uploaded this file, or more than an hour ago.', 'Upload the file again.'),
  webchat_file_refused: mistake(
    'Files of this type are not accepted.',
    'Send an image, a sound, a video, a PDF, an office document or a text.',
  ),
  webchat_upload_off: setting('Visitors of this web chat cannot send files.', 'Connect the number again with `upload: true`.'),
  webchat_too_many_streams: mistake('Too many streams are open.', 'Ask for messages with `GET /webchat/{number}/messages` instead.'),
};
