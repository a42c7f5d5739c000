<?php
use GuzzleHttp\Client;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware;
use GuzzleHttp\Psr7\Uri;
use Netflie\WhatsAppCloudApi\Http\GuzzleClientHandler;
use Netflie\WhatsAppCloudApi\Message\ButtonReply\Button;
use Netflie\WhatsAppCloudApi\Message\ButtonReply\ButtonAction;
use Netflie\WhatsAppCloudApi\Message\Contact\ContactName;
use Netflie\WhatsAppCloudApi\Message\Contact\Phone;
use Netflie\WhatsAppCloudApi\Message\Contact\PhoneType;
use Netflie\WhatsAppCloudApi\Message\CtaUrl\TitleHeader;
use Netflie\WhatsAppCloudApi\Message\Media\LinkID;
use Netflie\WhatsAppCloudApi\Message\Media\MediaObjectID;
use Netflie\WhatsAppCloudApi\Message\OptionsList\Action;
use Netflie\WhatsAppCloudApi\Message\OptionsList\Row;
use Netflie\WhatsAppCloudApi\Message\OptionsList\Section;
use Netflie\WhatsAppCloudApi\Message\Template\Component;
use Netflie\WhatsAppCloudApi\WebHook;
use Netflie\WhatsAppCloudApi\WhatsAppCloudApi;

require getenv('LIBRARY') . '/vendor/autoload.php';

$given = json_decode($argv[1], true);
// The library knows only the address of the network.
$handlers = HandlerStack::create();
$handlers->push(Middleware::mapRequest(function ($request) use ($given) {
    $moved = str_replace('https://graph.facebook.com', $given['url'], (string) $request->getUri());
    return $request->withUri(new Uri($moved));
}));
$api = new WhatsAppCloudApi([
    'from_phone_number_id' => $given['phoneNumberId'],
    'access_token' => $given['accessToken'],
    'business_id' => $given['wabaId'],
    'client_handler' => new GuzzleClientHandler(new Client(['handler' => $handlers])),
]);
$to = $given['to'];
$file = tempnam(sys_get_temp_dir(), 'a') . '.png';
file_put_contents($file, base64_decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='));
$media = null;

$calls = [
    'upload a file' => function () use ($api, $file, &$media) {
        $media = $api->uploadMedia($file)->decodedBody()['id'];
    },
    'text' => fn () => $api->sendTextMessage($to, 'Hey there! I\'m using WhatsApp Cloud API.'),
    'reply with a quote' => fn () => $api->replyTo($given['inbound'])->sendTextMessage($to, 'hello'),
    'reaction' => fn () => $api->sendReaction($to, $given['inbound'], '👍'),
    'image by id' => function () use ($api, $to, &$media) {
        $api->sendImage($to, new MediaObjectID($media));
    },
    'image by link' => fn () => $api->sendImage($to, new LinkID('https://a.test/a.png')),
    'video' => fn () => $api->sendVideo($to, new LinkID('https://a.test/a.mp4')),
    'audio' => fn () => $api->sendAudio($to, new LinkID('https://a.test/a.mp3')),
    'document' => fn () => $api->sendDocument($to, new LinkID('https://a.test/a.pdf'), 'a.pdf', 'A caption'),
    'sticker' => fn () => $api->sendSticker($to, new LinkID('https://a.test/a.webp')),
    'location' => fn () => $api->sendLocation($to, -70.66, -33.45, 'Santiago', 'CL'),
    'contacts' => fn () => $api->sendContact($to, new ContactName('Adams', 'Smith'), new Phone('34676204577', PhoneType::CELL())),
    'list' => fn () => $api->sendList($to, 'Rate', 'Please rate us', 'Thanks', new Action('Submit', [new Section('Stars', [new Row('1', 'One', '')])])),
    'link button' => fn () => $api->sendCtaUrl($to, 'See dates', 'https://a.test', new TitleHeader('Dates'), 'Tap', 'Footer'),
    'buttons' => fn () => $api->sendButton($to, 'Choose', new ButtonAction([new Button('yes', 'Yes'), new Button('no', 'No')])),
    'template' => fn () => $api->sendTemplate($to, 'hello', 'en_US', new Component([], [['type' => 'text', 'text' => 'Ann']], [])),
    'mark as read' => fn () => $api->markMessageAsRead($given['inbound']),
    'download' => function () use ($api, &$media) {
        $api->downloadMedia($media);
    },
    'show the profile' => fn () => $api->businessProfile('about,vertical'),
    'change the profile' => fn () => $api->updateBusinessProfile(['about' => 'Books', 'vertical' => 'RETAIL']),
    'webhook' => function () use ($given) {
        $webhook = new WebHook();
        $read = $webhook->read(json_decode(base64_decode($given['webhook']), true));
        if ($read->message() !== $given['text']) {
            throw new Exception('received ' . $read->message());
        }
    },
];
$results = [];
foreach ($calls as $name => $call) {
    try {
        $call();
        $results[$name] = true;
    } catch (Throwable $error) {
        $results[$name] = substr($error->getMessage(), 0, 300);
    }
}
echo json_encode($results);
