import { describe, expect, it } from 'vitest';
import { declaredCharset, decodeText } from '../../../packages/converters/src/decode-text.ts';

/** Bytes of each character of an encoding, found by decoding all of them. */
function encoderOf(encoding: string): (text: string) => Uint8Array {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const bytesOf = new Map<string, readonly number[]>();
  const put = (...bytes: number[]) => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes));
      if (text.length === 1 && !bytesOf.has(text)) bytesOf.set(text, bytes);
    } catch {
      // Not a character of the encoding.
    }
  };
  for (let first = 0; first < 256; first++) put(first);
  if (/gbk|big5|euc|shift/.test(encoding))
    for (let first = 0x81; first < 0xff; first++)
      for (let second = 0x40; second < 0xff; second++) put(first, second);
  return (text) => Uint8Array.from([...text].flatMap((one) => bytesOf.get(one) ?? [0x3f]));
}

const centralEuropean = [
  'Ogłoszenie\n\nŁódź sprawdzamy codziennie o siódmej rano. Jeśli przecieka, klucz należy oddać dyżurnemu.',
  'Nazwa;Cena;Ilość\nŻagiel;480;7\nŁańcuch;35;60\nWiosło;4;900',
  'Oznámení\n\nLoď kontrolujeme každý den v sedm hodin. Když teče, klíč předejte službě.',
  'A csónakot minden reggel hét órakor ellenőrizzük, a kulcsot az ügyeletes őrzi.',
];
const japanese = [
  '桟橋のお知らせ\n\n船は毎朝七時に点検します。水漏れを見つけたら鍵を当番に渡してください。',
  '品名,価格,在庫\n帆,480,7\nロープ,35,60\nオール,4,900',
  '鍵は三番の棚にあります。',
  '船員規則\n\n勤務時間は八時から五時までです。',
];
const russian = [
  'Объявление\n\nЛодку проверяют каждое утро в семь часов. Если она течёт, ключ отдают дежурному.',
  'Название;Цена;Остаток\nПарус;480;7\nКанат;35;60\nВесло;4;900',
  'Ключ лежит в третьем ящике.',
];
const notices: Readonly<Record<string, readonly string[]>> = {
  gbk: [
    '码头通知\n\n每艘船每天早上七点检查。发现漏水请立即停用,并把钥匙交给值班员。',
    '名称,价格,库存\n船帆,480,7\n绳子,35,60\n桨,4,900',
    '钥匙在三号柜里。',
    '船员守则\n\n上班时间为八点至五点。',
  ],
  big5: [
    '碼頭通知\n\n每艘船每天早上七點檢查。發現漏水請立即停用,並把鑰匙交給值班員。',
    '名稱,價格,庫存\n船帆,480,7\n繩子,35,60\n槳,4,900',
    '鑰匙在三號櫃裡。',
    '船員守則\n\n上班時間為八點至五點。',
  ],
  'euc-kr': [
    '부두 안내\n\n배는 매일 아침 일곱 시에 점검합니다. 물이 새면 바로 세우고 열쇠를 맡기세요.',
    '이름,가격,재고\n돛,480,7\n밧줄,35,60\n노,4,900',
    '열쇠는 셋째 서랍에 있습니다.',
    '선원 수칙\n\n근무 시간은 여덟 시부터 다섯 시까지입니다.',
  ],
  shift_jis: japanese,
  'euc-jp': japanese,
  'windows-1250': centralEuropean,
  'iso-8859-2': centralEuropean,
  'windows-1251': [
    ...russian,
    'Човен перевіряють щоранку о сьомій, ключ зберігає черговий.',
    'Лодката се проверява всяка сутрин в седем часа, ключът е при дежурния.',
  ],
  'koi8-r': russian,
  'windows-1253': [
    'Ανακοίνωση\n\nΗ βάρκα ελέγχεται κάθε πρωί στις επτά. Αν μπάζει νερά, δώστε το κλειδί.',
    'Όνομα;Τιμή;Απόθεμα\nΠανί;480;7\nΣχοινί;35;60\nΚουπί;4;900',
    'Το κλειδί είναι στο τρίτο συρτάρι.',
  ],
  'windows-1252': [
    'Hinweis\n\nDas Boot wird täglich um sieben Uhr geprüft. Läuft Wasser ein, kommt der Schlüssel zur Aufsicht.',
    'Nom;Prix;Quantité\nVoile bleutée;480;7\nCorde tressée;35;60\nRame;4;900',
    'Aviso\n\nEl bote se revisa cada mañana. ¿Dudas? Llame al señor Núñez.',
    'It’s the “best” rope – 20 °C, £5 and ½ metre.',
    'La clé est dans le troisième tiroir, à côté de l’entrée.',
  ],
  'windows-1254': [
    'Tekne her sabah yedide denetlenir; su alırsa anahtarı görevliye verin. Ücreti işletme öder.',
  ],
  'windows-1255': ['הסירה נבדקת בכל בוקר בשבע. אם נכנסים מים יש למסור את המפתח לתורן.'],
  'windows-1256': ['يفحص القارب كل صباح في السابعة. إذا تسرب الماء فسلم المفتاح إلى المناوب.'],
};

describe.each(Object.entries(notices))('text in %s', (encoding, texts) => {
  it('is read without a declaration', async () => {
    const encode = encoderOf(encoding);
    for (const text of texts) expect(await decodeText(encode(text), undefined)).toBe(text);
  });
});

describe('text of unknown encoding', () => {
  it('is refused with a way to convert it if no encoding fits', async () => {
    const noise = Uint8Array.from({ length: 200 }, (_, index) => 0x80 + ((index * 7) % 32));
    await expect(decodeText(noise, undefined)).rejects.toMatchObject({
      code: 'unsupported_media_type',
      message: expect.stringContaining('Save it as UTF-8'),
    });
  });

  it('counts as UTF-8 if a few of its characters are damaged', async () => {
    const bytes = Buffer.from(`${'ключ и парус '.repeat(20)}€`).subarray(0, -1);
    expect(await decodeText(bytes, undefined)).toContain('ключ и парус');
  });

  it('is read as declared by a page or an XML file', () => {
    const declared = (text: string) => declaredCharset(Buffer.from(text));
    expect(declared('<?xml version="1.0" encoding="iso-8859-2"?><html>')).toBe('iso-8859-2');
    expect(declared('<html><meta charset=koi8-r>')).toBe('koi8-r');
    expect(declared('<p>encoding="x"</p>')).toBe(undefined);
    expect(declared('<?xml version="1.0" encoding="utf-16"?><html>')).toBe(undefined);
    expect(declared('<html><meta charset=unicode>')).toBe(undefined);
  });
});
