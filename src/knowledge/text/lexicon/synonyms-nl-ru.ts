/**
 * Near-synonyms of policies and product help in Dutch and Russian, one group per line, entries separated by commas,
 * lower case. Refuses opposites, wider terms and function words.
 */

const dutch = `
geld terug, terugbetaling, terugbetalen, restitutie, vergoeding
prijs, kosten, tarief, hoeveel kost
gratis, kosteloos, zonder kosten
korting, prijsverlaging, aanbieding
kortingscode, actiecode, voucher, waardebon
betalen, betaling, voldoen
factuur, rekening
bon, kassabon, aankoopbewijs, betaalbewijs
betaalmethode, betaalwijze, betaalmiddel
overschrijving, bankoverschrijving, overmaken
incasso, automatische incasso, automatische afschrijving
btw, omzetbelasting
abonnement, lidmaatschap, pakket
proefperiode, gratis proberen, proefversie
verlengen, verlenging, automatische verlenging
opzeggen, opzegging, beëindigen, annuleren, annulering
opzegtermijn, termijn van opzegging
herroepingsrecht, bedenktijd, recht van herroeping
contract, overeenkomst
algemene voorwaarden, gebruiksvoorwaarden, servicevoorwaarden
verplicht, vereist, noodzakelijk
verboden, niet toegestaan, verbieden
toestaan, toestemming, machtigen
levering, bezorging, verzending, leveren, bezorgen, verzenden
retour, retourneren, terugsturen
kapot, defect, beschadigd, stuk
pakket, pakje, zending
vakantie, verlof, vrije dagen, vakantiedagen
ziek, ziekte, ziekmelding, ziekteverlof
salaris, loon, vergoeding
loonstrook, salarisstrook, loonstrookje
declaratie, onkosten, declareren, onkostenvergoeding
thuiswerken, werken op afstand, telewerken
medewerker, werknemer, personeel
leidinggevende, manager, baas, chef
ontslag nemen, uit dienst, opstappen
inloggen, aanmelden, login
uitloggen, afmelden
wachtwoord, toegangscode
account, profiel
registreren, account aanmaken, inschrijven
verwijderen, wissen
wijzigen, aanpassen, veranderen, bewerken
uitschakelen, uitzetten, deactiveren
inschakelen, aanzetten, activeren
privacy, gegevensbescherming, avg
persoonsgegevens, persoonlijke gegevens
bewaartermijn, bewaren, opslaan
back-up, reservekopie
instelling, configuratie, optie, voorkeur
gesprek, telefoontje, bellen, oproep
fout, storing, probleem, bug
klantenservice, ondersteuning, helpdesk
contact opnemen, bereiken
termijn, uiterste datum, vervaldatum
jaarlijks, per jaar, elk jaar
maandelijks, per maand, elke maand
limiet, maximum, bovengrens`;

const russian = `
возврат денег, вернуть деньги, возврат средств, возмещение
цена, стоимость, сколько стоит, тариф, расценки
бесплатно, бесплатный, даром
скидка, акция, снижение цены
промокод, купон, код скидки
оплата, платеж, оплатить, заплатить
счет, счет-фактура, инвойс
чек, квитанция, подтверждение оплаты
способ оплаты, метод оплаты
банковский перевод, перевод
автоплатеж, автоматическое списание, автосписание
налог, ндс
подписка, тариф, план, абонемент
пробный период, бесплатная версия, пробная версия
продление, продлить, автопродление
отмена, отменить, расторгнуть, отказаться, аннулировать
договор, контракт, соглашение
условия использования, пользовательское соглашение, условия обслуживания
обязательно, обязательный, требуется
запрещено, не разрешено, запрет
разрешить, разрешение, позволить
доставка, отправка, доставить, отправить
вернуть товар, возврат товара, обмен и возврат
сломан, поврежден, брак, неисправен, дефект
посылка, отправление
отпуск, выходные дни, отгул
больничный, болезнь, больничный лист, заболел
зарплата, заработная плата, оклад
командировка, деловая поездка
расходы, затраты, траты
удаленная работа, удаленка, работа из дома
сотрудник, работник, персонал
начальник, руководитель, менеджер
увольнение, уволиться, уйти из компании
войти, вход, авторизация, залогиниться
выйти, выход, разлогиниться
регистрация, зарегистрироваться, создать аккаунт
аккаунт, учетная запись, профиль
удалить, стереть, удаление
изменить, поменять, редактировать, изменение
отключить, выключить, деактивировать
включить, активировать
конфиденциальность, приватность, защита данных
персональные данные, личные данные
хранение, срок хранения, хранить
резервная копия, бэкап
настройка, конфигурация, параметр
звонок, вызов, позвонить
скачать, загрузить
ошибка, сбой, проблема, баг
поддержка, служба поддержки, техподдержка
связаться, контакт, обратиться
срок, крайний срок, дедлайн
ежегодно, в год, каждый год
ежемесячно, в месяц, каждый месяц
лимит, ограничение, максимум, предел`;

export const dutchSynonyms: string = dutch.trim();
export const russianSynonyms: string = russian.trim();
