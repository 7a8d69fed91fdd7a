/**
 * Near-synonyms of policies and product help in Dutch, Russian, Japanese and Chinese, one group per line, entries separated by commas,
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

const japanese = `
返金, 払い戻し, 払戻し, 返金処理, キャッシュバック
料金, 価格, 値段, 費用, いくら
無料, 無償, タダ
割引, 値引き, ディスカウント
クーポン, 割引コード, プロモーションコード
支払い, 支払, お支払い, 決済
請求書, インボイス
領収書, レシート
支払い方法, 決済方法, お支払い方法
銀行振込, 振込, 送金
税金, 消費税
サブスクリプション, サブスク, 定期購読, プラン
無料トライアル, 試用期間, お試し
更新, 自動更新, 継続
解約, 退会, キャンセル, 解除, 取り消し
契約, 規約
利用規約, サービス規約, 約款
必須, 義務, 必要
禁止, 不可, 許可されていない
許可, 承認, 認可
配送, 発送, 配達, お届け
返品, 返却
故障, 不良品, 破損, 壊れた
荷物, 小包
休暇, 有給, 有休, 年次有給休暇, 休み
病気, 病欠, 傷病
給料, 給与, 賃金
給与明細, 給料明細
経費, 費用精算, 経費精算
出張, 業務出張
在宅勤務, テレワーク, リモートワーク
従業員, 社員, スタッフ
上司, マネージャー, 管理者
退職, 辞職, 退社
ログイン, サインイン
ログアウト, サインアウト
登録, 新規登録, アカウント作成, サインアップ
パスワード, 暗証番号
アカウント, プロフィール
削除, 消去
変更, 修正, 編集
無効, オフにする, 無効化
有効, オンにする, 有効化
個人情報, 個人データ
プライバシー, データ保護
保存期間, 保持期間
バックアップ, 控え
設定, 構成, 環境設定
通話, 電話, コール
ファイル, 書類, 文書
エラー, 不具合, 障害, バグ
サポート, カスタマーサービス, 問い合わせ窓口
連絡, 問い合わせ, お問い合わせ
期限, 締め切り, 締切
毎年, 年間, 年額
毎月, 月額, 月間
上限, 制限, 最大`;

const chinese = `
退款, 退钱, 返还款项, 退费
价格, 费用, 多少钱, 收费, 价钱
免费, 不收费, 无需付费
折扣, 优惠, 打折
优惠券, 优惠码, 折扣码
付款, 支付, 付费, 缴费
发票, 账单
收据, 付款凭证
付款方式, 支付方式
银行转账, 汇款, 转账
自动扣款, 自动续费
税, 增值税, 税费
订阅, 套餐, 会员
免费试用, 试用期, 试用
续订, 续费, 续期
取消, 退订, 终止, 解除
合同, 协议, 合约
服务条款, 使用条款, 用户协议
必须, 强制, 必需
禁止, 不允许, 不准
允许, 许可, 授权
发货, 配送, 送货, 寄送
退货, 退回, 寄回
损坏, 坏了, 故障, 有缺陷
包裹, 快递
假期, 休假, 年假, 请假
病假, 生病, 患病
工资, 薪水, 薪资, 薪酬
工资单, 工资条
报销, 费用报销
出差, 商务旅行
远程办公, 居家办公, 在家工作
员工, 职员, 雇员
上司, 经理, 主管, 领导
辞职, 离职
登录, 登陆, 登入
退出登录, 登出, 注销登录
注册, 创建账户, 开户
密码, 口令
账号, 账户, 帐号, 帐户
删除, 移除, 清除
修改, 更改, 编辑, 变更
关闭, 停用, 禁用
开启, 启用, 打开
隐私, 数据保护
个人信息, 个人数据, 个人资料
保存期限, 保留期
备份, 副本
设置, 配置, 选项
通话, 电话, 呼叫
文件, 文档
错误, 故障, 异常, 报错
客服, 客户服务, 技术支持
联系, 联络
期限, 截止日期, 最后期限
每年, 按年, 年度
每月, 按月, 月度
上限, 限制, 最多, 限额`;

export const dutchSynonyms: string = dutch.trim();
export const russianSynonyms: string = russian.trim();
export const japaneseSynonyms: string = japanese.trim();
export const chineseSynonyms: string = chinese.trim();
