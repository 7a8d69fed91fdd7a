/**
 * Honest sentences in German, French, Spanish and Japanese, and ones with another figure or unit,
 * over short texts that the check was not tuned on. Counts kept and dropped ones. Run: node
 * bench/grounding-languages.ts [--show]
 */
import { createVerifier } from '../packages/grounding/src/rules.ts';

interface Text {
  readonly language: 'de' | 'fr' | 'es' | 'ja';
  readonly title: string;
  readonly text: string;
  /** An honest sentence per line, some with a changed one: `honest || kind: changed`. */
  readonly pairs: string;
}

const texts: readonly Text[] = [
  {
    language: 'de',
    title: 'Benutzungsordnung der Stadtbücherei',
    text: 'Bücher werden für vier Wochen ausgeliehen, Filme für sieben Tage. Eine Ausleihe kann zweimal verlängert werden, sofern niemand das Medium vorbestellt hat. Die Jahresgebühr beträgt 18 Euro; Kinder und Jugendliche unter 16 Jahren zahlen nichts. Für jeden Tag, den ein Buch zu spät zurückkommt, berechnen wir 50 Cent. Der Lesesaal im ersten Stock ist montags geschlossen. Verlorene Ausweise ersetzt Frau Petersen am Schalter.',
    pairs: `
Sie können Bücher vier Wochen lang ausleihen. || figure: Sie können Bücher sechs Wochen lang ausleihen.
Filme dürfen Sie 7 Tage behalten. || unit: Filme dürfen Sie 7 Wochen behalten.
Eine Verlängerung ist zweimal möglich, wenn keine Vorbestellung vorliegt.
Die Gebühr liegt bei 18 Euro im Jahr. || unit: Die Gebühr liegt bei 18 Euro im Monat.
Montags hat der Lesesaal geschlossen.`,
  },
  {
    language: 'de',
    title: 'Hotel am Seeufer: Hinweise für Gäste',
    text: 'Ihr Zimmer steht ab 15 Uhr bereit, am Abreisetag bitten wir Sie, es bis 11 Uhr zu räumen. Das Frühstück ist im Preis enthalten und wird von 7 bis 10 Uhr serviert. Haustiere sind auf Anfrage erlaubt und kosten 12 Euro pro Nacht. Eine Stornierung ist bis 48 Stunden vor der Anreise kostenlos. Parkplätze können nicht reserviert werden. Den Schlüssel zur Sauna erhalten Sie bei Herrn Lindner.',
    pairs: `
Das Zimmer ist ab 15 Uhr verfügbar. || figure: Das Zimmer ist ab 13 Uhr verfügbar.
Im Zimmerpreis ist das Frühstück enthalten.
Für ein Haustier zahlen Sie 12 Euro pro Nacht.
Sie können bis 48 Stunden vor der Anreise kostenlos stornieren.
Den Saunaschlüssel bekommen Sie von Herrn Lindner.`,
  },
  {
    language: 'fr',
    title: 'Conditions du billet de train',
    text: 'Le billet est valable uniquement dans le train indiqué. Vous pouvez l’échanger sans frais jusqu’à trois jours avant le départ ; ensuite, des frais de 15 € s’appliquent. Aucun remboursement n’est possible après le départ du train. Les enfants de moins de 4 ans voyagent gratuitement. Les vélos pliés sont acceptés à bord, les vélos non démontés doivent être réservés. En cas de retard de plus de 60 minutes, la compagnie rembourse 25 % du prix. Les réclamations sont traitées par le service de Lyon.',
    pairs: `
Le billet n’est valable que dans le train indiqué.
L’échange est gratuit jusqu’à trois jours avant le départ.
Après le départ du train, le billet n’est pas remboursable.
Les enfants de moins de quatre ans ne paient pas. || figure: Les enfants de moins de 12 ans voyagent gratuitement.
Si le retard dépasse 60 minutes, la compagnie vous rembourse 25 % du prix. || unit: En cas de retard de plus de 60 heures, la compagnie rembourse 25 % du prix.`,
  },
  {
    language: 'fr',
    title: 'Règlement de la salle de sport',
    text: 'La salle est ouverte tous les jours de 6 h à 23 h. L’abonnement mensuel coûte 35 euros et peut être résilié avec un préavis de deux semaines. Une serviette est obligatoire sur toutes les machines. Le sauna est réservé aux adultes. Chaque nouveau membre reçoit une séance gratuite avec Camille Roussel. Les casiers doivent être vidés chaque soir ; les objets oubliés sont conservés pendant 30 jours.',
    pairs: `
La salle ouvre chaque jour de 6 h à 23 h.
L’abonnement coûte 35 euros par mois. || unit: L’abonnement coûte 35 euros par an.
Vous pouvez résilier l’abonnement avec deux semaines de préavis. || figure: Vous pouvez résilier l’abonnement avec quatre semaines de préavis.
Il faut une serviette sur toutes les machines.
Les nouveaux membres ont droit à une séance gratuite avec Camille Roussel.`,
  },
  {
    language: 'es',
    title: 'Normas del gimnasio municipal',
    text: 'El gimnasio abre de lunes a viernes de 7:00 a 22:00 y los sábados de 9:00 a 14:00. La cuota mensual es de 28 euros y se cobra el día 5 de cada mes. Los menores de 16 años solo pueden entrar acompañados de un adulto. Las clases dirigidas están incluidas en la cuota. Para anular una clase hay que avisar con al menos seis horas de antelación. No se permite comer en la sala de máquinas. Las taquillas las gestiona Marta Ibáñez.',
    pairs: `
Los sábados el gimnasio abre de 9:00 a 14:00. || figure: Los sábados el gimnasio abre de 9:00 a 18:00.
La cuota cuesta 28 euros al mes. || unit: La cuota cuesta 28 euros a la semana.
Las clases dirigidas se incluyen en la cuota.
Debe avisar al menos 6 horas antes para anular una clase.
Está prohibido comer en la sala de máquinas.`,
  },
  {
    language: 'es',
    title: 'Billetes de tren: preguntas frecuentes',
    text: 'Los billetes se pueden comprar hasta 60 días antes del viaje. El cambio de fecha es gratuito en la tarifa Flexible y cuesta 10 euros en la tarifa Básica. Si el tren llega con más de una hora de retraso, devolvemos la mitad del importe. Los perros pequeños viajan gratis en su transportín. Es obligatorio mostrar un documento de identidad al revisor. Los objetos perdidos se guardan durante tres meses en la estación de Atocha.',
    pairs: `
Puede comprar el billete hasta 60 días antes de viajar. || unit: Puede comprar el billete hasta 60 semanas antes de viajar.
Con la tarifa Básica, cambiar la fecha cuesta 10 euros. || figure: Con la tarifa Básica, cambiar la fecha cuesta 20 euros.
Los perros pequeños no pagan si viajan en su transportín.
Hay que mostrar al revisor un documento de identidad.
En la estación de Atocha se guardan los objetos perdidos tres meses.`,
  },
  {
    language: 'ja',
    title: '市立図書館の利用案内',
    text: '本は一人10冊まで、二週間借りることができます。予約が入っていない場合は、一回だけ延長できます。館内での飲食は禁止されていますが、ふたの付いた飲み物は持ち込めます。開館時間は午前9時から午後8時までで、毎週月曜日は休館です。利用者カードの再発行には300円かかります。児童向けの読み聞かせは田中さんが担当しています。',
    pairs: `
本は一人10冊まで借りられます。 || figure: 本は一人20冊まで借りられます。
貸出期間は二週間です。 || unit: 本は二か月借りることができます。
館内で飲食することはできません。
月曜日は休館日です。
カードの再発行には300円が必要です。`,
  },
  {
    language: 'ja',
    title: 'ホテル宿泊のご案内',
    text: 'チェックインは15時から、チェックアウトは11時までです。朝食は宿泊料金に含まれており、6時半から9時半まで一階のレストランで提供します。キャンセルは宿泊日の3日前まで無料です。それ以降は料金の50%をいただきます。駐車場は一泊1000円で、予約はできません。全館禁煙です。空港への送迎バスは佐藤観光が運行しています。',
    pairs: `
チェックインは15時からです。 || figure: チェックインは13時からです。
朝食は宿泊料金に含まれます。
宿泊日の3日前までなら無料でキャンセルできます。
駐車場の料金は一泊1000円です。 || unit: 駐車場は一泊1000ドルです。
空港への送迎バスを運行しているのは佐藤観光です。`,
  },
];

interface Count {
  honest: number;
  kept: number;
  changed: number;
  dropped: number;
}

const counts = new Map<string, Count>();
const isShown = process.argv.includes('--show');
for (const { language, title, text, pairs } of texts) {
  const verify = createVerifier([{ text, context: title, language }]);
  const count = counts.get(language) ?? { honest: 0, kept: 0, changed: 0, dropped: 0 };
  counts.set(language, count);
  for (const pair of pairs.trim().split('\n')) {
    const [honest = '', changed] = pair.split(' || ');
    const { reason } = verify(honest);
    count.honest++;
    if (reason === undefined) count.kept++;
    else if (isShown) console.log(`dropped by ${reason}: ${honest}`);
    if (changed === undefined) continue;
    count.changed++;
    if (verify(changed.replace(/^[a-z]+: /, '')).reason !== undefined) count.dropped++;
    else if (isShown) console.log(`passed: ${changed}`);
  }
}
console.log('| language | honest kept | other figure or unit dropped |\n|---|---|---|');
for (const [language, { honest, kept, changed, dropped }] of counts)
  console.log(`| ${language} | ${kept} of ${honest} | ${dropped} of ${changed} |`);
