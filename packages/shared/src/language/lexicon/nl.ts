export const nl = {
  'stop-words': `
// Words that say how something is asked, not what about; without apostrophes.
aan, achter, af, al, alle, allemaal, alles, als, alsof, altijd, ander, andere, anderen, behalve, beide, ben, bent, bij, bijna, binnen
boven, buiten, daar, daarin, daarmee, daarna, daarom, daarop, daarvan, daarvoor, dan, dat, de, deden, deed, den, der, deze, die, dit
doe, doen, doet, door, dus, echter, een, één, eens, eerst, elk, elke, en, enige, enkele, er, ergens, etc, even, ga, gaan, gaat, gedaan
geen, gehad, gekregen, geweest, geworden, haar, had, hadden, heb, hebben, hebt, heeft, hem, hen, het, hier, hierbij, hiermee, hij, hoe
hoelang, hoeveel, hoewel, hun, ieder, iedere, iedereen, iemand, iets, ik, in, indien, is, ja, je, jij, jou, jouw, jullie, kan, kon
konden, kun, kunnen, kunt, krijg, krijgen, krijgt, laat, laten, maak, maar, maken, mag, me, meer, meest, men, met, mij, mijn, minder
misschien, mocht, mochten, moest, moesten, moet, moeten, mogen, na, naar, naast, nadat, nee, neen, net, niemand, niet, niets, noch, nog
nooit, nou, nu, of, om, omdat, omtrent, onder, ondanks, ons, onze, ook, op, over, sinds, sommige, soms, staat, steeds, te, tegen, ten
tenzij, ter, terwijl, tijdens, toch, toe, toen, tot, totdat, tussen, u, uit, uw, vaak, van, vanaf, vandaan, vanuit, veel, verder, via
volgens, voor, voordat, voorbij, vooral, waar, waaraan, waarbij, waardoor, waarin, waarmee, waarom, waarop, waarover, waaruit, waarvan
waarvoor, wanneer, want, waren, was, wat, we, weer, wel, welk, welke, wie, wiens, wij, wil, wilde, wilden, willen, wilt, word, worden
wordt, wou, zal, ze, zei, zelf, zelfde, zich, zij, zijn, zo, zoals, zodat, zodra, zonder, zou, zouden, zullen, zult, alsjeblieft
alstublieft, bedankt, dank, dankje, dankjewel, dankuwel, goedemiddag, goedemorgen, goedenavond, hallo, hé, hey, hi, hoi, sorry, groet
groeten, ok, oké, okay, excuus, graag, nodig, hoef, leg, leggen, legt, uitleggen, vertel, vertellen, vertelt, vraag, vraagje, vragen
weet, weten, wist, zeg, zeggen, zegt, gewoon, eigenlijk, eventjes, heel, erg
`,
  negations: `
niet, nooit, zonder, geen, niemand, niets, behalve, noch
`,
  affirmations: '',
  opposites: '',
  joints: `
en, maar, of, terwijl, als
`,
  discourse: '',
  numbers: `
2: twee, dubbel; 3: drie; 4: vier; 5: vijf; 6: zes; 7: zeven; 8: acht; 9: negen; 10: tien; 12: twaalf; 14: veertien; 15: vijftien
20: twintig; 30: dertig; 40: veertig; 50: vijftig; 60: zestig; 90: negentig; 100: honderd; 1000: duizend
`,
  measures: `
s: seconde, seconden; minute: minuut, minuten; hour: uur, uren; day: dag, dagen, dagelijks; week: week, weken, wekelijks
month: maand, maanden, maandelijks; year: jaar, jaren, jaarlijks; business: werkdag, werkdagen
€: euro; $: dollar
monday: maandag; tuesday: dinsdag; wednesday: woensdag; thursday: donderdag; friday: vrijdag; saturday: zaterdag; sunday: zondag
`,
  synonyms: `
// Words and short phrases that may stand for one another: no opposites, no wider terms.
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
limiet, maximum, bovengrens
`,
  'compound-parts': `
// Words that are often parts of compounds.
aanbetaling, aanbieder, aanbieding, aanbiedingen, aandeel, aandelen, aangifte, aangiftes, aankomst, aankoop, aankopen, aanmaning
aanmeld, aanmelding, aanpassing, aansluit, aansluiting, aansprakelijkheid, aantal, aanval, aanvallen, aanvraag, aanvragen, aanwezigheid
abonnement, abonnementen, acceptatie, accommodatie, account, accounts, accu, achtergrond, achternaam, achterstand, achterstanden, actie
acties, activering, admin, administratie, administraties, adres, adresboek, adressen, advies, advisering, adviseur, advocaat, afdeling
afdelingen, afhaal, aflossing, afmeld, afmelding, afschrift, afschriften, afstand, afval, afwezigheid, afwijzing, afzender, agenda
agent, agenten, akte, akten, alarm, alcohol, algemeen, allergie, ambacht, analyse, analyses, annulering, annuleringen, antwoord
antwoordapparaat, antwoorden, api, apotheek, app, apparaat, apparaten, appartement, arbeid, archief, archieven, artikel, artikelen, arts
artsen, assortiment, audio, auteur, auteurs, auteursrecht, authenticatie, auto, automaat, autos, avond, baby, backup, backups, bad
bagage, bakker, balans, balk, balkon, bandbreedte, bank, bankrekening, basis, batterij, batterijen, bed, bediening, bedrag, bedragen
bedreiging, bedrijf, bedrijven, beeld, beelden, beeldscherm, begin, begroting, behandel, behandeling, behandelingen, beheer, beheerder
beheerders, behoefte, belang, belangen, belangenconflict, belasting, belastingen, belegging, beleggingen, beleid, beleids, beller
beltoon, bemiddeling, benzine, beoordeling, beoordelingen, bepaling, bepalingen, beperking, beperkingen, berekening, berekeningen, berg
bergen, bericht, berichten, beroep, beroeps, beroepschrift, bescherming, beschikbaarheid, besluit, besluiten, bestand, bestanden, bestel
bestelling, bestellingen, besturingssysteem, bestuur, bestuurder, betaal, betaling, betalingen, betrouwbaarheid, beurs, beurzen
bevestiging, bevestigingen, bevoegdheid, bewaar, bewaartermijn, bewaking, bewaring, bewerking, bewijs, bewijsstuk, bewijzen, bewoner
bezoek, bezoeken, bezoeker, bezoekers, bezorg, bezorging, bezwaar, bezwaren, bibliotheek, bier, bijdrage, bijdragen, bijeenkomst
bijlage, bijlagen, binnenland, bioscoop, bloed, bloem, bloemen, blog, blokkering, bluetooth, boek, boeken, boekhouding, boeking
boekingen, boer, boeren, boete, boetes, bomen, bon, bonus, boom, boot, borg, bouw, box, branche, brand, brandstof, brandweer, breedte
brief, brieven, brievenbus, bril, brillen, broek, bron, bronnen, brood, browser, brug, bruggen, bruiloft, btw, budget, budgetten
buitenland, burger, burgers, bus, buurt, cadeau, cadeaubon, camera, cameras, campagne, campagnes, camping, carrière, catalogus
categorie, categorieën, cel, cellen, center, centra, centraal, centrale, centrum, certificaat, certificaten, chat, chatbot, chats
chauffeur, chef, cijfer, cijfers, claim, claims, clausule, cloud, code, codes, collega, commissie, commissies, competentie, component
concept, concepten, concert, concerten, concurrentie, conferentie, configuratie, conflict, consument, consumenten, contact, contacten
contant, contract, contracten, controle, controles, cookie, cookies, cosmetica, creditcard, cultuur, cursus, cursussen, dag, dagen, dank
dashboard, data, databank, databanken, database, datum, declaratie, declaraties, deel, deelname, deelnemer, deelnemers, deeltijd
dekking, demo, derde, desktop, deur, deuren, diagnose, diagram, dieet, diefstal, dienst, diensten, dienstverlener, diepte, dier, dieren
diesel, digitaal, diner, diploma, directeur, directie, discriminatie, diversiteit, document, documentatie, documenten, doel, doelen
doelgroep, domein, domeinen, donatie, donaties, dood, doorgang, doorgifte, doorverbinding, doos, dorp, dorpen, dossier, dossiers, douane
download, downloads, dozen, drank, dranken, drempel, drink, drugs, druk, dubbel, duur, duurzaamheid, economie, effect, eigen, eigenaar
eigenaren, eiland, eilanden, eind, einde, elektro, element, email, energie, enkel, enquête, erfenis, etiket, euro, evenement
evenementen, excursie, expert, export, extern, extra, factor, factoren, facturatie, facturen, factuur, factuuradres, faillissement
familie, feedback, feest, feestdag, feestdagen, feesten, fiets, fietsen, filiaal, film, films, filter, filters, financiën, financiering
firewall, fles, flessen, formaat, formulier, formulieren, forum, foto, fotos, fout, fouten, foutmelding, fraude, fruit, functie
functies, functionering, fusie, gang, gangen, garage, garantie, garanties, gast, gasten, gebeurtenis, gebied, gebieden, geboorte, gebouw
gebouwen, gebruik, gebruiker, gebruikers, gebruikersnaam, gedrag, gegevens, gegevensbescherming, geheim, geheimhouding, geheugen, gehoor
geld, geldigheid, geluid, geluk, gemeente, gemeenten, gemiddelde, geneesmiddel, geneesmiddelen, gerecht, gerechten, gereedschap
gereedschappen, geschenk, geschenken, geschiedenis, geschil, geschillen, gesprek, gesprekken, getuige, getuigschrift, gevaar, geval
gevallen, gevoel, gevolg, gevolgen, gewicht, gezicht, gezin, gezins, gezondheid, glas, goedkeuring, graad, grafiek, grens, grenzen
griep, groente, groenten, groep, groepen, groet, grond, grondstof, grondstoffen, groot, grootte, gsm, hacker, half, halte, haltes, hand
handbagage, handboek, handdoek, handel, handels, handen, handicap, handleiding, handleidingen, handtekening, handtekeningen, hardware
hart, haven, havens, headset, help, helpdesk, hemd, herfst, herinnering, herinneringen, herkenning, herroeping, herstel, hoek
hoeveelheid, hogeschool, hond, honden, hoofd, hoofdkantoor, hoofdstuk, hoog, hoogte, horeca, host, hosting, hotel, hotels, hout, huid
huis, huisarts, huisnummer, huizen, hulp, hulpmiddel, hulpmiddelen, huur, huurder, huurprijs, hygiëne, hypotheek, hypotheken, icoon
idee, ideeën, identiteit, import, inbraak, inbreuk, incasso, incident, incidenten, industrie, infectie, infecties, informatie, ingang
inhoud, inkomen, inkomsten, inkoop, inlog, installatie, installaties, instantie, instanties, instelling, instellingen, instituut
integratie, integraties, integriteit, intelligentie, interface, intern, internationaal, internet, intimidatie, investering
investeringen, invoeging, invoer, inzage, jaar, jaarrekening, jaren, jeugd, job, jongeren, jurk, kaart, kaarten, kaas, kabel, kabels
kalender, kamer, kamerlid, kamers, kampioen, kanaal, kanalen, kandidaat, kantoor, kantoren, kapitaal, kapper, kassa, kast, kasten
katoen, katten, kelder, kennis, kennisbank, keten, ketting, keuken, keukens, kilometer, kind, kinderen, kinderopvang, klacht, klachten
klant, klanten, klantendienst, klantenservice, klas, klassen, kleding, kleed, klein, kleur, kleuren, klik, klimaat, kliniek, knop
knoppen, koel, koelkast, koffer, koffers, koffie, kolom, kolommen, koop, koorts, koper, kopie, kopieën, koppeling, koppelingen
koptelefoon, kort, korting, kortingen, kost, kosten, kracht, krachten, krant, kranten, krediet, kring, kunst, kwaliteit, kwartaal, laad
laag, laboratorium, lader, lamp, lampen, land, landen, lang, laptop, laptops, lease, leasing, leden, leeftijd, leen, leenauto, leerling
leerlingen, lees, leider, leiding, lek, lekken, lengte, lening, leningen, lente, leraar, leven, levens, lever, leverancier, leveranciers
levering, leveringen, licentie, licenties, lichaam, licht, lid, lift, lijn, lijnen, lijst, lijsten, limiet, limieten, link, links, liter
live, login, logo, lokaal, loon, looptijd, loterij, lucht, luchthaven, luidspreker, lunch, maag, maaltijd, maaltijden, maand, maanden
maatregel, maatregelen, machine, machines, machtiging, machtigingen, magazijn, mail, mails, malware, manager, mannen, map, mappen
marketing, markt, markten, masker, materiaal, materialen, matras, maximum, mededeling, mededelingen, medewerker, medewerkers, media
medicijn, medicijnen, meerderheid, meld, melding, meldingen, meldpunt, melk, mening, mens, mensen, menu, merk, merken, metaal, meter
meters, methode, meting, meubel, meubelen, microfoon, middag, middel, middelen, migratie, milieu, minimaal, minimum, ministerie, minuten
minuut, misbruik, mobiel, mode, model, modellen, module, modules, modus, moeder, mogelijkheden, mogelijkheid, motor, motoren, muis, munt
museum, muziek, naam, nacht, namen, nationaal, natuur, netwerk, netwerken, neven, nieuw, nieuws, nieuwsbrief, niveau, niveaus, noodgeval
noodnummer, noodplan, norm, normaal, normen, notaris, notificatie, notificaties, notulen, nummer, nummers, object, ochtend, offerte
offertes, offline, olie, omgeving, omkoping, omruiling, omzet, onderdeel, onderdelen, onderhoud, onderhouds, ondernemer, onderneming
ondersteuning, ondertitel, onderwerp, onderwijs, onderzoek, onderzoeken, ongeluk, ongeval, ongevallen, onkosten, online, ontbijt
ontbinding, ontslag, ontvanger, ontwerp, ontwerpen, ontwikkelaar, ontwikkeling, oorzaak, opbrengst, opdracht, opdrachten, opening
openingstijden, operatie, operaties, ophaal, oplader, opleiding, opleidingen, oplossing, oplossingen, opmerking, opname, opnames
oprichting, oproep, oproepen, opslag, opvang, opvolger, opvolging, opzeg, opzegging, organisatie, organisaties, ouder, ouders
ouderschap, overboeking, overdracht, overeenkomst, overeenkomsten, overgang, overheid, overleg, overnachting, overname, overschrijving
overuren, overzicht, overzichten, paard, paarden, pagina, pakket, pakketdienst, pakketten, papier, papieren, parameter, parfum, park
parkeer, parkeerplaats, parken, parkeren, partij, partijen, partner, partners, pas, paspoort, paspoorten, patent, patiënt, patiënten
pauze, pdf, peiling, pensioen, pensioenen, percentage, periode, perron, persbericht, personeel, personen, persoon, persoons, pesten
phishing, pictogram, pijn, pin, plaats, plaatsen, plan, plannen, planning, plant, planten, plastic, platform, platforms, plicht
plichten, plugin, plugins, podcast, polis, polissen, politie, portaal, porto, positie, post, postcode, premie, premies, premium
prestatie, preventie, prijs, prijzen, printer, privacy, prive, probleem, problemen, procedure, procedures, proces, processen, product
producten, productie, proef, proefperiode, proeftijd, profiel, profielen, profielfoto, programma, programmas, project, projecten
provincie, provisie, proxy, prullenbak, publicatie, punt, punten, push, raad, raam, radio, ramen, rang, rapport, rapporten, reactie
reacties, recept, recepten, recht, rechtbank, rechten, rechtenbeheer, rechter, reclame, redactie, redding, regel, regeling, regelingen
regelnummer, regels, regen, regering, regio, regios, registratie, registraties, reglement, reis, reiskosten, reizen, reiziger, reizigers
rekening, rekeningen, renovatie, rente, renten, reparatie, reparaties, reserve, reservekopie, reservering, reserveringen, rest
restaurant, restitutie, resultaat, resultaten, retour, retouren, retourzending, richtlijn, richtlijnen, rijbewijs, risico, risicos, rit
ritten, robot, rollen, rolstoel, rook, rooster, route, router, routes, rugzak, ruil, ruimte, ruimtes, salaris, salarissen, saldo
samenvatting, sauna, scanner, schade, schades, schakelaar, scheiding, schending, schepen, scherm, schermen, schijf, schijven, schip
schoen, schoenen, scholen, scholing, school, schoonmaak, schrift, schrijf, schuld, schulden, seconde, seconden, sector, sectoren
seizoen, selectie, server, servers, service, sessie, sessies, sieraad, sieraden, signaal, sim, sjabloon, slaap, slager, sleutel
sleutels, slot, sluiting, smartphone, smartphones, sms, sneeuw, snel, snelheid, sneltoets, snelweg, software, sollicitant, sollicitatie
sollicitaties, sortering, spaar, spaarrekening, spam, speciaal, speelgoed, speelplaats, spel, speler, spelers, spellen, spiegel, spier
spoed, spoor, sport, sporten, spraak, staat, stad, stads, stage, stagiair, stand, standaard, stap, stappen, start, startpagina, staten
station, stations, statistiek, statistieken, status, steden, stem, stemmen, stempel, sterren, stichting, stichtingen, stoel, stoelen
stof, stoffen, storing, storingen, storm, straat, straf, straffen, strand, stranden, strategie, straten, stream, stress, stroom
structuur, student, studenten, stuk, stukken, stuur, subcategorie, succes, suiker, super, supermarkt, support, symbool, synchronisatie
systeem, systemen, taak, taal, taart, tabak, tabblad, tabel, tabellen, tablet, tablets, tafel, tafels, taken, talen, tand, tandarts
tanden, tank, tarief, tarieven, tas, tassen, taxi, team, teams, techniek, technologie, tegoed, tegoeden, teken, tekens, tekst, teksten
telefonie, telefoon, telefoonnummer, telefoons, televisie, temperatuur, tennis, tent, termijn, termijnbedrag, termijnen, terminal
terugbetaling, terugzending, test, testament, tests, tevredenheid, theater, thema, themas, therapie, thread, thuiswerk, ticket, tickets
tijd, tijden, tijdschrift, tijdstip, titel, titels, toegang, toegangs, toegankelijkheid, toelichting, toepassing, toepassingen, toerisme
toerist, toeristen, toeslag, toeslagen, toestand, toestel, toestemming, toets, toetsen, toetsenbord, toewijzing, toezegging, token
totaal, tracking, training, trainingen, transcript, trap, trappen, trein, treinen, tuin, tuinen, tunnel, tussen, tussentijd, uitbetaling
uitbreiding, uitbreidingen, uitgang, uitgaven, uitgever, uitnodiging, uitnodigingen, uitval, uitvoer, uitzondering, universiteit, update
updates, upgrade, upload, uren, url, usb, uur, vaatwasser, vaccinatie, vaccinaties, vader, vakantie, vakanties, vakbond, vakken, valuta
vastgoed, veiligheid, veld, velden, vennootschap, venster, vensters, verandering, verantwoordelijkheid, verantwoording, verbinding
verbindingen, verblijf, verblijfs, verbod, verbruik, verbruiks, verdediging, verdeling, verdieping, vereniging, vergader, vergadering
vergaderingen, vergelijking, vergoeding, vergoedingen, vergunning, vergunningen, verhoging, verhuis, verhuizing, verhuurder, verificatie
verjaardag, verkeer, verkeers, verkiezing, verklaring, verklaringen, verkoop, verkoper, verlaging, verlenging, verlichting, verlies
verlof, verlofdagen, verloop, vermelding, vermogen, verordening, verpakking, verpakkingen, verpleeg, verpleging, verplichting
verplichtingen, verschil, versie, versies, verslag, verslagen, verslaving, versleuteling, vertaling, vertalingen, vertrek
vertrouwelijkheid, vertrouwen, verwarming, verwerker, verwerking, verwijder, verwijdering, verzekering, verzekeringen, verzend
verzending, verzendkosten, verzoek, verzoeken, verzuim, video, videos, vingerafdruk, virtueel, virus, virussen, vissen, visum, vlak
vlees, vlieg, vliegtuig, vlucht, vluchten, voeding, voedsel, voertuig, voertuigen, voet, voetbal, voeten, voicemail, volmacht, voltijd
volume, vonnis, voorbeeld, voorbeeldbrief, voornaam, voorraad, voorraden, voorschrift, voorschriften, voorstel, voorstellen
vooruitbetaling, voorwaarde, voorwaarden, vordering, vorm, vormen, vpn, vraag, vracht, vragen, vriend, vrienden, vrijstelling, vrouw
vrouwen, waarborg, waarde, waarden, waardering, waarschuwing, wacht, wachtrij, wachttijd, wachtwoord, wachtwoorden, wagen, wagens
wallet, waren, warmte, wasmachine, water, web, webhook, webpagina, webshop, website, websites, webwinkel, wedstrijd, week, weekend
weergave, weg, weken, welzijn, wens, wensen, werk, werkdag, werkdagen, werkgever, werkgevers, werknemer, werknemers, werkplek
wetenschap, wetgeving, wetten, widget, wifi, wijn, wijziging, wijzigingen, wind, winkel, winkelmand, winkels, winkelwagen, winst
winsten, winter, wissel, wisselkoers, wol, woning, woningen, zaak, zak, zaken, zelf, zender, zending, zendingen, ziek, ziekenhuis
ziekenhuizen, ziekmelding, ziekte, ziekteverzuim, zitplaats, zoek, zoekfunctie, zoekopdracht, zomer, zone, zones, zonne, zorg
zorgverlof, zout, zwangerschap, zwembad
`,
};

export const nlTalk = {
  'small-talk': `
// What people say to an assistant when they ask the documents nothing: words in order, 'a/b' one of several, '?' after what may be missing.
// No word that a question about a product could be made of.
beside: en, maar, dus, ook, nog, heel, erg, echt, allemaal, iedereen, hoor, vandaag, meneer, mevrouw, voor alles/vandaag, voor je/jouw/uw/de/het snelle/goede? hulp/antwoord/uitleg/reactie/info/informatie/moeite/tijd
greeting: hallo, hoi, hé, hai, goeiedag, goedemorgen, goedemiddag, goedenavond, goeiemorgen, goeiemiddag, goeieavond, goedendag, welkom, goede/goeden morgen/middag/avond/dag, dag allemaal/iedereen, hoe gaat/gaan het ermee?, hoe gaat het met jou/je/u/jullie, hoe is het met? jou/je/u?, alles goed met? je/jou?, en met? jou/u, aangenaam, insgelijks, ik ook
thanks: bedankt, dankje, dankjewel, dankuwel, dank je/u wel?, heel/hartelijk/erg/super erg/hartelijk? bedankt/dank, veel/alvast/nogmaals dank/bedankt, bedankt alvast/nogmaals, heel/erg goed/fijn/mooi/handig/duidelijk/aardig, prima, perfect, geweldig, fantastisch, uitstekend, mooi, fijn, leuk, gaaf, tof, goed, netjes, handig, helder, goed/mooi gedaan/werk/zo/antwoord/idee, dat/het/dit is/was heel/erg/echt/zo? fijn/duidelijk/goed/handig/top/alles/mooi/juist, dat/dit klopt/helpt/werkt mij/me? goed/enorm?, gefeliciteerd, ja, nee, jawel, zeker, klopt, begrepen, juist, precies, natuurlijk, akkoord, duidelijk, inderdaad, graag, oké, ik snap/begrijp het/dat?, is goed, komt goed, geen probleem/dank/idee, niks/niets te danken, graag gedaan, maakt niet/niks uit, excuses, jammer, het spijt me, alsjeblieft, alstublieft, aub, een? moment/momentje/ogenblik geduld?
bye: doei, doeg, houdoe, vaarwel, tot ziens/straks/later/morgen/snel/dan/gauw, fijne/prettige dag/avond/middag/week nog?, nog een fijne/prettige dag/avond/week, een? fijn/prettig/goed weekend, goede nacht, welterusten, dat was/is het/alles, niets meer/verder
help: hulp, help mij/me/ons?, wie/wat ben/bent jij/je/u eigenlijk/precies?, hoe heet je/jij/u, wat is je/jouw/uw naam, ben/bent je/jij/u een echte/echt? bot/robot/mens/ai/machine/chatbot/persoon, wat kan/kun/kunt je/jij/u allemaal/eigenlijk? voor? mij/me? doen/betekenen?, wat doe/kan je/jij allemaal/eigenlijk?, wat kan ik je/jou/u/hier allemaal? vragen, hoe/waarmee kan/kun/kunt je/jij/u mij/me/ons helpen, kan/kun/kunt je/jij/u/iemand mij/me/ons? even? helpen, ik heb je/jouw/uw/even/wat? hulp nodig, ik heb/had een/nog/even? een? vraag/vraagje/vragen, nog? een korte/snelle? vraag/vraagje, mag/kan ik je/u/jou? even? iets/wat vragen, mag/kan ik je/u/jou? even? een vraag stellen, welke onderwerpen ken/kent je/u, is daar/er/hier iemand daar/hier?
`,
  'person-request': `
// See the English list.
beside: alsjeblieft, alstublieft, aub, nu, meteen, direct, onmiddellijk, liever, gewoon, even, persoonlijk, telefonisch, in plaats van een/deze? bot/robot/computer/chatbot, niet met? een bot/robot/computer/chatbot, geen bot/robot/computer, van/bij de/jullie/uw klantenservice/team/support/helpdesk
want: ik/we/wij wil/willen/zou/zouden/moet/moeten/heb/hebben/wens/verkies/vraag om? graag/liever/echt?, ik zou graag/liever, willen, mag/kan/kunnen/mogen ik/we/wij, kunt/kun/kan/wilt/wil u/je/jij mij/me/ons?, geef mij/me, laat mij/me, is het mogelijk om, ik moet
contact: spreken, praten, chatten, te spreken/praten, doorverbonden worden?, worden doorverbonden, doorverbinden, doorschakelen, doorgeschakeld worden?, verbind/verbindt mij/me/ons door?, verbinden, contact opnemen, contact, in contact komen, nodig
near: met, aan, naar, door, een, de, jullie, uw, echte, echt, levende, menselijke, andere, werkelijke
person: mens, mensen, persoon, medewerker, medewerkster, collega, adviseur, agent, leidinggevende, manager, vertegenwoordiger, klantenservicemedewerker, iemand anders/echt?, klantenservice, klantendienst, helpdesk
whole: mens/medewerker alsjeblieft/alstublieft/aub, echt/echte mens/persoon/medewerker alsjeblieft/alstublieft?, kan iemand mij/me terugbellen/bellen, kunt u mij/me terugbellen/bellen, bel mij/me terug?
about: over, omdat, vanwege, want, die mij/me/kan, betreffende
`,
  suggestions: `
// See the English and the German list.
topic: Wat moet ik weten over ‘{}’?; steps: Hoe werkt {}?; last: yes
asking: wat is, wat zijn, wat kost, wat gebeurt, hoe kan, hoe lang, hoe vaak, hoeveel, hoe werkt, waarom is, waarom wordt, wanneer is, wanneer wordt, wie is, wie kan, waar is, waar vind, kan ik, moet ik, mag ik, is er, zijn er, welke
verbs: opnemen, declareren, aanmaken, aanmelden, aanpassen, aanvragen, activeren, annuleren, beheren, bestellen, betalen, bewerken, configureren, delen, downloaden, exporteren, herstellen, importeren, indienen, installeren, instellen, opslaan, opzeggen, overzetten, printen, registreren, retourneren, ruilen, starten, toevoegen, uitnodigen, uploaden, uitschakelen, verlengen, verwijderen, wijzigen, zoeken
generic: overzicht, inleiding, introductie, inhoud, inhoudsopgave, samenvatting, conclusie, achtergrond, bijlage, bijlagen, bronnen, zie ook, opmerkingen, opmerking, voorbeelden, voorbeeld, faq, veelgestelde vragen, aan de slag, eerste stappen, volgende stappen, algemeen, overig, details, contact, colofon, links, begrippen, definities, doel, vereisten, installatie, configuratie, gebruik, opties, parameters, licentie, home, beschrijving, functies, meer informatie, externe links
clause: wat, hoe, wanneer, waarom, wie, waar, welke, ik, wij, we, ons, onze, mijn, jij, je, jouw, u, uw, hij, zij, het, deze, dit, is, zijn, was, wordt, worden, kan, kunnen, moet, moeten, niet, als, hier, stap, deel, hoofdstuk, paragraaf, figuur, tabel, fase, les, versie, tip, tips, voorbeeld, dhr, mevr, dr, beste, hallo, nieuw, intern, vertrouwelijk, concept
pointing: hij, zij, deze, dit, dat, hier, daar, wij, ons, hem
`,
};
