import { type Causes, setting, Unavailable } from '#core';

/** The causes of refusals by this plugin. */
export const causes: Causes = {
  email_library_missing: setting(
    'A package is not installed that numbers with an e-mail address need.',
    'Install the packages that the message names, and start the platform again.',
  ),
};

/**
 * The packages that speak the protocols of mail. They are not part of the platform's installation: only platforms with e-mail numbers need them.
 * @throws Unavailable that names the command to install one
 */
export const libraries = {
  nodemailer: () => load('nodemailer', () => import('nodemailer')),
  'smtp-server': () => load('smtp-server', () => import('smtp-server')),
  imapflow: () => load('imapflow', () => import('imapflow')),
  'postal-mime': () => load('postal-mime', () => import('postal-mime')),
  'email-reply-parser': () => load('email-reply-parser', () => import('email-reply-parser')),
  htmlparser2: () => load('htmlparser2', () => import('htmlparser2')),
};

/** @throws Unavailable when the package is not installed */
export const load = <T>(name: string, open: () => Promise<T>): Promise<T> =>
  open().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const install = `npm install ${Object.keys(libraries).join(' ')}`;
    throw new Unavailable(
      `The package '${name}' is not installed, which e-mail numbers need: ${install}`,
      undefined,
      'email_library_missing',
    );
  });
