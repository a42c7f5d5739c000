import t from 'tap';
import { httpUrl } from '#core';

t.test('the reason why a URL is refused is true', (t) => {
  const long = 'a'.repeat(70_000);
  const faults: Record<string, RegExp | undefined> = {
    'http://a.test/': undefined,
    'https://[::1]:8443/a?b=%5B%5D#c': undefined,
    'http://a..test/': undefined,
    'http://127.0.0.1:1/?tags[]=a': /^url must have \[ written as %5B$/,
    'http://a.test/?a=]': /^url must have \] written as %5D$/,
    'http://a.test/a|b': /^url must have \| written as %7C$/,
    'http://a.test/{id}': /^url must have \{ written as %7B$/,
    'http://a.test/a b': /^url must have a space written as %20$/,
    'http://a.test/"': /^url must have " written as %22$/,
    'http://a.test/\\': /^url must have \\ written as %5C$/,
    'http://a.test/a\nb': /written as %0A$/,
    'http://a.test/%zz': /^url must have % written as %25, except before two hexadecimal digits$/,
    'http://a.test/?a=100%': /^url must have % written as %25, except before two hexadecimal digits$/,
    'http://a.test/#b#c': /^url must have the second # written as %23$/,
    'HTTP://a.test/': /^url must begin with http: or https: in lower case$/,
    'Https://a.test/': /^url must begin with http: or https: in lower case$/,
    ' http://a.test/': /^url must have no space before or after it$/,
    'http://a.test/\n': /^url must have no space before or after it$/,
    'http://a.test:99999/': /^url must have a port of at most 65535$/,
    'http://a.test:port/': /^url must have a port of at most 65535$/,
    'http://xn--a/': /^url must have a valid host$/,
    'http://a b/': /^url must have a valid host$/,
    'http://1.2.3.4.5/': /^url must have a valid host$/,
    'http://[::1/': /^url must have a valid host$/,
    'http:a.test': /^url must have two slashes and a host after http: or https:$/,
    'http:///a': /^url must have two slashes and a host after http: or https:$/,
    'http://?a': /^url must have two slashes and a host after http: or https:$/,
    'http://ä.test/': /^url must be written in ASCII: /,
    'http://a.test/ä': /^url must be written in ASCII: /,
    'http://a.test/sk': undefined,
    'ftp://a.test/': /^url must be a valid uri with a scheme matching the http\|https pattern$/,
    'a.test': /^url must be a valid uri with a scheme matching/,
    [`http://a.test/${long}`]: /^url length must be less than or equal to 2048 characters long$/,
  };
  for (const [url, reason] of Object.entries(faults)) {
    const { error } = httpUrl()
      .label('url')
      .prefs({ errors: { wrap: { label: false } } })
      .validate(url);
    if (reason) t.match(error?.message, reason, url.slice(0, 50));
    else t.equal(error, undefined, url);
  }
  t.end();
});
