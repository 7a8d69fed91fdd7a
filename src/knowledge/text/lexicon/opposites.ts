/**
 * Words that turn a statement around. A line of opposites holds sides that exclude each other, `|` between them, entries separated by
 * commas, any inflection of them, or only as it is written behind a `=`; `#` stands for a figure;
 * a line that begins with `!` has to be found where a sentence says one of it.
 * Refuses pairs of which both are often said of one thing (`more`, `high`).
 */

export const opposites = {
  en: `
before, prior to, ahead of, until, by the end of | after, following the, since
! more than #, over #, above #, exceed #, at least, minimum, a minimum of, no less than, not less than, no fewer than, # or more, no earlier than, not before, longer than #, larger than #, greater than #, bigger than #, higher than #, starting from #, starting at # | less than #, fewer than #, under #, below #, at most, maximum, a maximum of, up to #, no more than, not more than, not exceed, # or less, # or fewer, within #, limited to, no later than, no longer than, shorter than #, smaller than #, lower than #
more than, longer than, larger than, greater than, above, exceed | less than, fewer than, shorter than, smaller than, below
increase, rise, grow, raise | decrease, reduce, drop, fall, decline, lower, shrink
! free, free of charge, at no cost, no charge, at no charge, no extra cost, no additional cost | for a fee, chargeable, at extra cost, surcharge, extra charge
! unlimited, without limit, lifetime |
first | last, final, second
next, following month, following year, following week | previous, preceding
faster, fastest, quicker | slower, slowest
keep, retain, preserve, store | remove, delete, discard, erase, destroy
sign in, log in, check in | sign out, log out, check out
higher, highest | lower, lowest
longest | shortest
largest, biggest | smallest
include, contain, cover, inclusive | exclude, exclusive, omit, leave out
accept, approve, grant, confirm | reject, deny, decline, refuse, turn down
allow, permit, authorize, authorise, welcome | forbid, prohibit, ban, disallow, block, banned, forbidden
open, opening | close, shut, closing
always, at all times | sometimes, occasionally, rarely, only
! only, =solely, exclusively, nothing but | 
all, every, everyone, everybody | some, several, half of
=mandatory, =required, compulsory, obligatory, =must, have to, has to, need to, =requires, =require | =optional, =optionally, =voluntary, =may
! guarantee, guaranteed | 
! immediately, instantly, at once, straight away | 
internal, internally | external, externally
inside | outside
indoors | outdoors
enable, turn on, switch on, activate | disable, turn off, switch off, deactivate
add | remove, delete
create | delete, destroy
begin, start | end, stop, finish, expire
public, publicly | private, privately, confidential
early, earlier, earliest | =late, later, =latest
buy, purchase | sell
incoming, inbound | outgoing, outbound
manual, manually, by hand | automatic, automatically
employer | employee
sender | recipient, receiver
lender | borrower
landlord | tenant
upload | download
encrypt | decrypt, plain text, plaintext
same, identical | different
full-time, full time | part-time, part time
full | partial, part of
online | offline
read | write
gross | net
debit | credit
maternity | paternity
temporary, temporarily | permanent, permanently
newest, most recent, latest | oldest
ascending | descending
domestic, national | international, abroad
north, northern | south, southern
east, eastern | west, western
win | lose
success, succeed | failure
majority | minority
strongest | weakest
cheaper, cheapest | =expensive, dearest
forward | backward
morning | afternoon, evening
safe | dangerous
legal | illegal
male | female
upgrade | downgrade
import | export
lock | unlock
connect | disconnect
join | leave
hire | fire, dismiss
directly | indirectly`,
  de: `
vor, bevor, bis | nach, nachdem
! mehr als, uber #, mindestens, ab #, wenigstens, minimal | weniger als, unter #, hochstens, maximal, bis zu, innerhalb, binnen, nicht mehr als
einschliesslich, inklusive, enthalten, beinhalten, inbegriffen | ausschliesslich, exklusive, ausgenommen, ausser
akzeptieren, genehmigen, annehmen, angenommen, genehmigt | ablehnen, abgelehnt, verweigern
erlaubt, gestattet, zulassig, erlauben, durfen, darf | verboten, untersagt, untersagen
offen, geoffnet, offnen | geschlossen, schliessen
! immer, stets, jederzeit | manchmal, gelegentlich, nie, niemals, selten
alle, jeder, jede, jedes, samtliche | einige, manche, wenige
! nur, ausschliesslich, lediglich |
pflicht, verpflichtend, mussen, muss, obligatorisch, erforderlich, notwendig | freiwillig, optional, konnen, kann, darf, durfen
erhohen, steigen, erhoht, steigt | senken, sinken, verringern, reduzieren
erste, ersten, erster | letzte, letzten, letzter
intern, interne, internen | extern, externe, externen
kostenlos, gratis, kostenfrei | kostenpflichtig, gebuhrenpflichtig, gegen gebuhr
offentlich | privat, vertraulich
fruher, fruhestens | spater, spatestens
automatisch | manuell
eingehend, eingehende | ausgehend, ausgehende
aktivieren, aktiviert, einschalten | deaktivieren, deaktiviert, ausschalten
bezahlt, bezahlter | unbezahlt, unbezahlter`,
  fr: `
avant, avant le, jusqu'a | apres, a partir
! plus de, au moins, minimum, au minimum, superieur | moins de, au plus, maximum, au maximum, jusqu'a, dans un delai de, dans les, inferieur
inclure, inclus, incluse, comprendre, compris, comprise, comprennent, comprend | exclure, exclu, exclus, exclue
accepter, accepte, approuver, approuve, acceptee, acceptes, acceptees | refuser, refuse, rejeter, rejete, refusee, refuses, refusees
autorise, autoriser, permis, permettre, autorisee, autorises | interdit, interdire, interdite, interdits
ouvert, ouverte, ouvrir, ouverts | ferme, fermee, fermer, fermes
! toujours | parfois, jamais, rarement
tous, toutes, chaque | certains, certaines, quelques
! seulement, uniquement, exclusivement |
obligatoire, doit, doivent, devez, requis | facultatif, facultative, optionnel, peut, peuvent, pouvez
augmenter, augmente | diminuer, diminue, reduire, baisser
premier, premiere, premiers | dernier, derniere, derniers
interne, internes | externe, externes
gratuit, gratuite, gratuits, gratuitement | payant, payante, payants
public, publique | prive, privee, confidentiel
automatique, automatiquement | manuel, manuellement`,
  es: `
antes | despues, tras
! mas de, al menos, por lo menos, minimo, como minimo | menos de, como maximo, maximo, hasta, a lo sumo, dentro de, en un plazo de
incluir, incluye, incluido, incluidos, incluyen | excluir, excluye, excluido, excluidos, excluyen
aceptar, aceptan, acepta, aprobar, aprueba | rechazar, rechaza, rechazan, denegar
permitido, permite, permitir, permitida | prohibido, prohibe, prohibir, prohibida
abierto, abierta, abrir, abre | cerrado, cerrada, cerrar, cierra
! siempre | a veces, nunca, raramente
todos, todas, cada | algunos, algunas
! solo, solamente, unicamente, exclusivamente |
obligatorio, obligatoria, debe, deben, requerido | opcional, voluntario, puede, pueden
aumentar, aumenta, subir | disminuir, disminuye, reducir, bajar
primer, primero, primera, primeros | ultimo, ultima, ultimos
interno, interna | externo, externa
gratis, gratuito, gratuita | de pago
publico, publica | privado, privada, confidencial
automatico, automaticamente | manual, manualmente`,
  ja: `
前に, 前まで, 以前 | 後に, 以後
! 以上, 少なくとも, 最低, 超え, 日以降, 以降 | 以下, 以内, 最大, 最長, 未満, まで
含む, 含まれ | 除く, 除き, 除外
承認 | 却下, 拒否
許可, 可能, できます | 禁止, 不可
営業, 開いて | 休業, 閉まって, 定休
! 常に, 必ず, いつも | 時々, まれに
! のみ, だけ, に限り |
すべて, 全て, 全員 | 一部
必須, 必要, なければなりません | 任意, 不要, してもよい
無料 | 有料
最初 | 最後
社内, 内部 | 社外, 外部
増加, 増え | 減少, 減り
公開 | 非公開
自動 | 手動`,
  zh: `
之前, 以前, 前 | 之后, 以后, 之後, 后, 後
! 以上, 至少, 最少, 超过 | 以下, 以内, 内, 最多, 不超过, 少于, 至多
包括, 包含 | 不包括, 不包含, 除外
接受, 批准, 同意 | 拒绝, 驳回
允许, 可以 | 禁止, 不得, 不可
开放, 营业 | 关闭, 休息
! 总是, 始终, 一直 | 有时, 偶尔
! 仅, 只, 只有 |
所有, 全部 | 部分, 一些
必须, 必需, 强制 | 可选, 自愿, 可以
免费 | 收费, 付费
首次, 第一 | 最后
内部 | 外部
增加, 提高 | 减少, 降低
公开 | 私人, 保密
自动 | 手动`,
} as const;
