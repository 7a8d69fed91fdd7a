/**
 * Dutch words that compounds are made of: lower case, separated by white space, in alphabetical order; singular and plural.
 * Words of three letters are only those that hardly ever cut a word wrongly.
 * Left out on purpose: `ster` (bezorgster), `maan` (maandag), `eten` (planeten).
 */
export const dutchParts: string = `
aanbetaling aanbieder aanbieding aanbiedingen aandeel aandelen aangifte aangiftes aankomst aankoop aankopen aanmaning aanmeld aanmelding
aanpassing aansluit aansluiting aansprakelijkheid aantal aanval aanvallen aanvraag aanvragen aanwezigheid abonnement abonnementen
acceptatie accommodatie account accounts accu achtergrond achternaam achterstand achterstanden actie acties activering admin administratie
administraties adres adresboek adressen advies advisering adviseur advocaat afdeling afdelingen afhaal aflossing afmeld afmelding
afschrift afschriften afstand afval afwezigheid afwijzing afzender agenda agent agenten akte akten alarm alcohol algemeen allergie ambacht
analyse analyses annulering annuleringen antwoord antwoordapparaat antwoorden api apotheek app apparaat apparaten appartement arbeid
archief archieven artikel artikelen arts artsen assortiment audio auteur auteurs auteursrecht authenticatie auto automaat autos avond baby
backup backups bad bagage bakker balans balk balkon bandbreedte bank bankrekening basis batterij batterijen bed bediening bedrag bedragen
bedreiging bedrijf bedrijven beeld beelden beeldscherm begin begroting behandel behandeling behandelingen beheer beheerder beheerders
behoefte belang belangen belangenconflict belasting belastingen belegging beleggingen beleid beleids beller beltoon bemiddeling benzine
beoordeling beoordelingen bepaling bepalingen beperking beperkingen berekening berekeningen berg bergen bericht berichten beroep beroeps
beroepschrift bescherming beschikbaarheid besluit besluiten bestand bestanden bestel bestelling bestellingen besturingssysteem bestuur
bestuurder betaal betaling betalingen betrouwbaarheid beurs beurzen bevestiging bevestigingen bevoegdheid bewaar bewaartermijn bewaking
bewaring bewerking bewijs bewijsstuk bewijzen bewoner bezoek bezoeken bezoeker bezoekers bezorg bezorging bezwaar bezwaren bibliotheek
bier bijdrage bijdragen bijeenkomst bijlage bijlagen binnenland bioscoop bloed bloem bloemen blog blokkering bluetooth boek boeken
boekhouding boeking boekingen boer boeren boete boetes bomen bon bonus boom boot borg bouw box branche brand brandstof brandweer breedte
brief brieven brievenbus bril brillen broek bron bronnen brood browser brug bruggen bruiloft btw budget budgetten buitenland burger
burgers bus buurt cadeau cadeaubon camera cameras campagne campagnes camping carrière catalogus categorie categorieën cel cellen center
centra centraal centrale centrum certificaat certificaten chat chatbot chats chauffeur chef cijfer cijfers claim claims clausule cloud
code codes collega commissie commissies competentie component concept concepten concert concerten concurrentie conferentie configuratie
conflict consument consumenten contact contacten contant contract contracten controle controles cookie cookies cosmetica creditcard
cultuur cursus cursussen dag dagen dank dashboard data databank databanken database datum declaratie declaraties deel deelname deelnemer
deelnemers deeltijd dekking demo derde desktop deur deuren diagnose diagram dieet diefstal dienst diensten dienstverlener diepte dier
dieren diesel digitaal diner diploma directeur directie discriminatie diversiteit document documentatie documenten doel doelen doelgroep
domein domeinen donatie donaties dood doorgang doorgifte doorverbinding doos dorp dorpen dossier dossiers douane download downloads dozen
drank dranken drempel drink drugs druk dubbel duur duurzaamheid economie effect eigen eigenaar eigenaren eiland eilanden eind einde
elektro element email energie enkel enquête erfenis etiket euro evenement evenementen excursie expert export extern extra factor factoren
facturatie facturen factuur factuuradres faillissement familie feedback feest feestdag feestdagen feesten fiets fietsen filiaal film films
filter filters financiën financiering firewall fles flessen formaat formulier formulieren forum foto fotos fout fouten foutmelding fraude
fruit functie functies functionering fusie gang gangen garage garantie garanties gast gasten gebeurtenis gebied gebieden geboorte gebouw
gebouwen gebruik gebruiker gebruikers gebruikersnaam gedrag gegevens gegevensbescherming geheim geheimhouding geheugen gehoor geld
geldigheid geluid geluk gemeente gemeenten gemiddelde geneesmiddel geneesmiddelen gerecht gerechten gereedschap gereedschappen geschenk
geschenken geschiedenis geschil geschillen gesprek gesprekken getuige getuigschrift gevaar geval gevallen gevoel gevolg gevolgen gewicht
gezicht gezin gezins gezondheid glas goedkeuring graad grafiek grens grenzen griep groente groenten groep groepen groet grond grondstof
grondstoffen groot grootte gsm hacker half halte haltes hand handbagage handboek handdoek handel handels handen handicap handleiding
handleidingen handtekening handtekeningen hardware hart haven havens headset help helpdesk hemd herfst herinnering herinneringen
herkenning herroeping herstel hoek hoeveelheid hogeschool hond honden hoofd hoofdkantoor hoofdstuk hoog hoogte horeca host hosting hotel
hotels hout huid huis huisarts huisnummer huizen hulp hulpmiddel hulpmiddelen huur huurder huurprijs hygiëne hypotheek hypotheken icoon
idee ideeën identiteit import inbraak inbreuk incasso incident incidenten industrie infectie infecties informatie ingang inhoud inkomen
inkomsten inkoop inlog installatie installaties instantie instanties instelling instellingen instituut integratie integraties integriteit
intelligentie interface intern internationaal internet intimidatie investering investeringen invoeging invoer inzage jaar jaarrekening
jaren jeugd job jongeren jurk kaart kaarten kaas kabel kabels kalender kamer kamerlid kamers kampioen kanaal kanalen kandidaat kantoor
kantoren kapitaal kapper kassa kast kasten katoen katten kelder kennis kennisbank keten ketting keuken keukens kilometer kind kinderen
kinderopvang klacht klachten klant klanten klantendienst klantenservice klas klassen kleding kleed klein kleur kleuren klik klimaat
kliniek knop knoppen koel koelkast koffer koffers koffie kolom kolommen koop koorts koper kopie kopieën koppeling koppelingen koptelefoon
kort korting kortingen kost kosten kracht krachten krant kranten krediet kring kunst kwaliteit kwartaal laad laag laboratorium lader lamp
lampen land landen lang laptop laptops lease leasing leden leeftijd leen leenauto leerling leerlingen lees leider leiding lek lekken
lengte lening leningen lente leraar leven levens lever leverancier leveranciers levering leveringen licentie licenties lichaam licht lid
lift lijn lijnen lijst lijsten limiet limieten link links liter live login logo lokaal loon looptijd loterij lucht luchthaven luidspreker
lunch maag maaltijd maaltijden maand maanden maatregel maatregelen machine machines machtiging machtigingen magazijn mail mails malware
manager mannen map mappen marketing markt markten masker materiaal materialen matras maximum mededeling mededelingen medewerker
medewerkers media medicijn medicijnen meerderheid meld melding meldingen meldpunt melk mening mens mensen menu merk merken metaal meter
meters methode meting meubel meubelen microfoon middag middel middelen migratie milieu minimaal minimum ministerie minuten minuut misbruik
mobiel mode model modellen module modules modus moeder mogelijkheden mogelijkheid motor motoren muis munt museum muziek naam nacht namen
nationaal natuur netwerk netwerken neven nieuw nieuws nieuwsbrief niveau niveaus noodgeval noodnummer noodplan norm normaal normen notaris
notificatie notificaties notulen nummer nummers object ochtend offerte offertes offline olie omgeving omkoping omruiling omzet onderdeel
onderdelen onderhoud onderhouds ondernemer onderneming ondersteuning ondertitel onderwerp onderwijs onderzoek onderzoeken ongeluk ongeval
ongevallen onkosten online ontbijt ontbinding ontslag ontvanger ontwerp ontwerpen ontwikkelaar ontwikkeling oorzaak opbrengst opdracht
opdrachten opening openingstijden operatie operaties ophaal oplader opleiding opleidingen oplossing oplossingen opmerking opname opnames
oprichting oproep oproepen opslag opvang opvolger opvolging opzeg opzegging organisatie organisaties ouder ouders ouderschap overboeking
overdracht overeenkomst overeenkomsten overgang overheid overleg overnachting overname overschrijving overuren overzicht overzichten paard
paarden pagina pakket pakketdienst pakketten papier papieren parameter parfum park parkeer parkeerplaats parken parkeren partij partijen
partner partners pas paspoort paspoorten patent patiënt patiënten pauze pdf peiling pensioen pensioenen percentage periode perron
persbericht personeel personen persoon persoons pesten phishing pictogram pijn pin plaats plaatsen plan plannen planning plant planten
plastic platform platforms plicht plichten plugin plugins podcast polis polissen politie portaal porto positie post postcode premie
premies premium prestatie preventie prijs prijzen printer privacy prive probleem problemen procedure procedures proces processen product
producten productie proef proefperiode proeftijd profiel profielen profielfoto programma programmas project projecten provincie provisie
proxy prullenbak publicatie punt punten push raad raam radio ramen rang rapport rapporten reactie reacties recept recepten recht rechtbank
rechten rechtenbeheer rechter reclame redactie redding regel regeling regelingen regelnummer regels regen regering regio regios
registratie registraties reglement reis reiskosten reizen reiziger reizigers rekening rekeningen renovatie rente renten reparatie
reparaties reserve reservekopie reservering reserveringen rest restaurant restitutie resultaat resultaten retour retouren retourzending
richtlijn richtlijnen rijbewijs risico risicos rit ritten robot rollen rolstoel rook rooster route router routes rugzak ruil ruimte
ruimtes salaris salarissen saldo samenvatting sauna scanner schade schades schakelaar scheiding schending schepen scherm schermen schijf
schijven schip schoen schoenen scholen scholing school schoonmaak schrift schrijf schuld schulden seconde seconden sector sectoren seizoen
selectie server servers service sessie sessies sieraad sieraden signaal sim sjabloon slaap slager sleutel sleutels slot sluiting
smartphone smartphones sms sneeuw snel snelheid sneltoets snelweg software sollicitant sollicitatie sollicitaties sortering spaar
spaarrekening spam speciaal speelgoed speelplaats spel speler spelers spellen spiegel spier spoed spoor sport sporten spraak staat stad
stads stage stagiair stand standaard stap stappen start startpagina staten station stations statistiek statistieken status steden stem
stemmen stempel sterren stichting stichtingen stoel stoelen stof stoffen storing storingen storm straat straf straffen strand stranden
strategie straten stream stress stroom structuur student studenten stuk stukken stuur subcategorie succes suiker super supermarkt support
symbool synchronisatie systeem systemen taak taal taart tabak tabblad tabel tabellen tablet tablets tafel tafels taken talen tand tandarts
tanden tank tarief tarieven tas tassen taxi team teams techniek technologie tegoed tegoeden teken tekens tekst teksten telefonie telefoon
telefoonnummer telefoons televisie temperatuur tennis tent termijn termijnbedrag termijnen terminal terugbetaling terugzending test
testament tests tevredenheid theater thema themas therapie thread thuiswerk ticket tickets tijd tijden tijdschrift tijdstip titel titels
toegang toegangs toegankelijkheid toelichting toepassing toepassingen toerisme toerist toeristen toeslag toeslagen toestand toestel
toestemming toets toetsen toetsenbord toewijzing toezegging token totaal tracking training trainingen transcript trap trappen trein
treinen tuin tuinen tunnel tussen tussentijd uitbetaling uitbreiding uitbreidingen uitgang uitgaven uitgever uitnodiging uitnodigingen
uitval uitvoer uitzondering universiteit update updates upgrade upload uren url usb uur vaatwasser vaccinatie vaccinaties vader vakantie
vakanties vakbond vakken valuta vastgoed veiligheid veld velden vennootschap venster vensters verandering verantwoordelijkheid
verantwoording verbinding verbindingen verblijf verblijfs verbod verbruik verbruiks verdediging verdeling verdieping vereniging vergader
vergadering vergaderingen vergelijking vergoeding vergoedingen vergunning vergunningen verhoging verhuis verhuizing verhuurder verificatie
verjaardag verkeer verkeers verkiezing verklaring verklaringen verkoop verkoper verlaging verlenging verlichting verlies verlof
verlofdagen verloop vermelding vermogen verordening verpakking verpakkingen verpleeg verpleging verplichting verplichtingen verschil
versie versies verslag verslagen verslaving versleuteling vertaling vertalingen vertrek vertrouwelijkheid vertrouwen verwarming verwerker
verwerking verwijder verwijdering verzekering verzekeringen verzend verzending verzendkosten verzoek verzoeken verzuim video videos
vingerafdruk virtueel virus virussen vissen visum vlak vlees vlieg vliegtuig vlucht vluchten voeding voedsel voertuig voertuigen voet
voetbal voeten voicemail volmacht voltijd volume vonnis voorbeeld voorbeeldbrief voornaam voorraad voorraden voorschrift voorschriften
voorstel voorstellen vooruitbetaling voorwaarde voorwaarden vordering vorm vormen vpn vraag vracht vragen vriend vrienden vrijstelling
vrouw vrouwen waarborg waarde waarden waardering waarschuwing wacht wachtrij wachttijd wachtwoord wachtwoorden wagen wagens wallet waren
warmte wasmachine water web webhook webpagina webshop website websites webwinkel wedstrijd week weekend weergave weg weken welzijn wens
wensen werk werkdag werkdagen werkgever werkgevers werknemer werknemers werkplek wetenschap wetgeving wetten widget wifi wijn wijziging
wijzigingen wind winkel winkelmand winkels winkelwagen winst winsten winter wissel wisselkoers wol woning woningen zaak zak zaken zelf
zender zending zendingen ziek ziekenhuis ziekenhuizen ziekmelding ziekte ziekteverzuim zitplaats zoek zoekfunctie zoekopdracht zomer zone
zones zonne zorg zorgverlof zout zwangerschap zwembad
`;
