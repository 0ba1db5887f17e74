"""Everyday words in English and Chinese that name one thing, so that either language finds the other.

A small general vocabulary, by hand: people, feelings, food, study, work, money, travel, time, software. It is no
dictionary; a word that is not here is matched by its spelling alone. ``word,word=词,词`` is one concept.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from alice_exp.text.words import is_cjk, stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_CONCEPTS = """
how=怎么,如何,怎样,咋,怎么样 why=为什么,为何,为啥 when=什么时候,何时,几点,啥时候
where=哪里,哪儿,在哪,何处 who=谁,何人 what=什么,啥 which=哪个,哪些,哪种,哪一
cannot,unable=不能,无法,不可以,没法,不了 can,may=可以,能否,能不能,可否
need,require,must=需要,必须,要求 want,wish,hope=想要,希望,愿望
like,love,enjoy,favorite=喜欢,热爱,喜爱,最爱,爱好 dislike,hate=讨厌,不喜欢,厌恶
know,understand=知道,了解,明白,理解 think,believe,opinion=认为,觉得,看法,意见
remember,recall=记得,记住,想起 forget=忘记,忘了 say,tell,mention=告诉,提到,说过
ask,question=询问,提问,问题 answer,reply=回答,答复,回复
suggest,recommend,advice,suggestion,recommendation=推荐,建议,劝告 help,assist=帮助,帮忙,协助
talk,chat,discuss,conversation=聊天,讨论,谈话,交谈,对话 meet,encounter=见面,遇到,相遇,认识
invite,invitation=邀请 promise=承诺,答应 agree,agreement=同意,赞成,协议 plan,schedule=计划,安排,日程
decide,decision,choose,choice=决定,选择,决策 start,begin=开始,启动
stop,end,finish,complete=停止,结束,完成 change,modify,update=改变,修改,更改,变化,更新
increase,raise,improve,improvement=提高,增加,提升,改善,改进 reduce,decrease,lower=减少,降低
open,enable=打开,开启,开通,启用 close,disable,shut=关闭,关掉,停用,禁用 add,append=添加,增加,新增
delete,remove=删除,移除,去掉 create,make,build=创建,制作,建立,构建 use,usage=使用,利用
find,search,look=查找,寻找,搜索,查询,找到 buy,purchase=购买 sell=出售,卖掉
pay,payment=支付,付款,付钱,缴费 borrow,loan,lend=借款,贷款,借钱 repay,repayment=还款
money,cash=现金,金钱 price,cost,fee=价格,费用,成本 cheap=便宜 expensive=昂贵
discount,coupon=优惠,折扣,优惠券 order=订单 refund=退款 account=账户,账号,帐号 bank=银行
card=银行卡,卡片 limit,quota=限制,额度,限额 amount=金额 bill,invoice=账单,发票
salary,income=工资,收入,薪水 deliver,delivery,shipping=快递,配送,发货
shop,store,shopping=商店,购物,店铺 gift,present=礼物,礼品 person,people=人们 man=男人,男性
woman=女人,女性 child,children,kid=孩子,小孩,儿童 baby=婴儿,宝宝 friend=朋友,好友 family=家人,家庭
father,dad=父亲,爸爸 mother,mom=母亲,妈妈 parent,parents=父母,家长 brother=兄弟,哥哥,弟弟
sister=姐妹,姐姐,妹妹 son=儿子 daughter=女儿 husband=丈夫,老公 wife=妻子,老婆 boyfriend=男朋友,男友
girlfriend=女朋友,女友 couple,relationship=关系,情侣 marry,marriage,wedding=结婚,婚姻,婚礼
grandfather,grandpa=爷爷,外公 grandmother,grandma=奶奶,外婆 colleague,coworker=同事 classmate=同学
teacher=老师,教师 student=学生 boss,manager,leader=老板,经理,领导 team=团队 customer,client=客户,顾客
user=用户 doctor=医生,大夫 nurse=护士 engineer=工程师 programmer,developer=程序员,开发者
artist,painter=艺术家,画家 writer,author=作家,作者 singer=歌手 actor,actress=演员 director=导演
lawyer=律师 police=警察 name=名字,姓名,名称 age=年龄,年纪 birthday=生日 gender=性别 address=地址
phone=电话,手机 email,mail=邮件,邮箱 password=密码 identity=身份
job,work,occupation,profession,career=工作,职业,事业 company=公司 office=办公室 meeting=会议,开会
project=项目 task=任务 interview=面试,采访 school=学校 university,college=大学
class,course,lesson=课程,上课,课堂 study,learn,learning=学习 exam,test=考试,测验
homework,assignment=作业 paper,thesis=论文 major=专业 graduate,graduation=毕业 research=研究
science=科学 mathematics,math=数学 physics=物理 chemistry=化学 biology=生物 history=历史
geography=地理 philosophy=哲学 psychology=心理学,心理 economics,economy=经济 politics,political=政治
law,legal=法律 language=语言 english=英语,英文 chinese=中文,汉语,中国 japanese=日语,日文
book=书籍,图书,一本书 novel,fiction=小说 story=故事 poem,poetry=诗歌,诗词 magazine=杂志
newspaper,news=新闻,报纸 article=文章 library=图书馆 read,reading=阅读,看书,读书 write,writing=写作
movie,film,cinema=电影,影片,电影院 television,tv=电视 series,drama=电视剧,连续剧
cartoon,anime,animation=动画,动漫 video=视频 music=音乐 song=歌曲,歌 sing,singing=唱歌
dance,dancing=跳舞,舞蹈 concert=音乐会,演唱会 piano=钢琴 guitar=吉他 violin=小提琴 instrument=乐器
band=乐队 art=艺术 paint,painting,draw,drawing=绘画,画画,油画
photo,photograph,picture,photography=照片,图片,摄影,拍照 camera=相机 museum=博物馆 exhibition=展览
game=游戏 toy=玩具 hobby,interest=爱好,兴趣 sport=运动,体育
exercise,workout,fitness,gym=锻炼,健身,健身房 run,running=跑步 swim,swimming=游泳
hike,hiking=徒步,远足 climb,climbing=爬山,登山,攀登 walk,walking=散步,走路
bike,bicycle,cycling=自行车,骑车,骑行 basketball=篮球 football,soccer=足球 badminton=羽毛球
tennis=网球 yoga=瑜伽 meditation=冥想 camp,camping=露营 travel,trip,journey,tour=旅行,旅游,出行
vacation,holiday=假期,度假,放假 weekend=周末 festival=节日 party=聚会,派对 park=公园
beach,sea,ocean=海滩,大海,海边,海洋 mountain=山 river=河流 lake=湖泊 forest,tree=森林,树木
flower=鲜花,花朵 garden=花园 city=城市 country=国家 village=村庄,乡村 world=世界 street,road=街道,道路
hotel=酒店,宾馆 restaurant=餐厅,饭店,餐馆 cafe,coffee=咖啡,咖啡馆 airport=机场
flight,plane,airplane=航班,飞机 train=火车,列车 subway,metro=地铁 bus=公交,巴士 car=汽车,轿车,开车
ticket=机票,车票,门票 hospital=医院 food=食物,食品,美食 eat=吃饭,吃 drink=喝,饮料
cook,cooking,recipe=做饭,烹饪,做菜,食谱,菜谱 dish=菜肴,菜 breakfast=早餐,早饭 lunch=午餐,午饭
dinner=晚餐,晚饭 snack=零食 dessert,cake=甜点,蛋糕,甜品 fruit=水果 apple=苹果 vegetable=蔬菜 meat=肉类
beef=牛肉 pork=猪肉 chicken=鸡肉 fish=鱼 egg=鸡蛋 rice=米饭,大米 noodle=面条 bread=面包 milk=牛奶
tea=茶,品茶,喝茶 wine,alcohol=红酒,喝酒 beer=啤酒 water=水 sugar=糖 salt=盐 spicy=辣 sweet=甜
taste,flavor=味道,口味 allergy,allergic=过敏 health,healthy=健康 sick,ill,illness,disease=生病,疾病
medicine,drug=药物,药品 headache=头痛,头疼 fever=发烧 sleep,insomnia=睡眠,睡觉,失眠
tired,fatigue=疲惫,疲劳,累 pain=疼痛 weight,diet=体重,减肥,饮食
happy,happiness,glad=快乐,高兴,开心,幸福 sad,sadness=难过,悲伤,伤心 angry,anger=生气,愤怒
afraid,fear,scared=害怕,恐惧 worry,anxious,anxiety=担心,焦虑,担忧 stress,pressure=压力
lonely,loneliness=孤独,寂寞 excited=兴奋,激动 bored,boring=无聊 confident,confidence=自信,信心
shy,introverted=害羞,内向 outgoing,extroverted=外向,开朗 emotion,feeling,mood=情绪,感受,心情
love=爱情,恋爱 personality,character=性格,个性 dream=梦想,梦 goal,target=目标
success,succeed,successful=成功 fail,failure=失败 difficult,difficulty,hard=困难,难题
easy,simple=简单,容易 challenge=挑战 experience=经验,经历 skill=技能,技巧 method,way=方法,办法,方式
reason,cause=原因,理由 result=结果 example=例子,示例 kind,type,genre=类型,种类 important=重要
different,difference=不同,区别,差异 same=相同,一样 good=好的,不错 bad=不好,糟糕 best=最好
big,large=很大,大型 small,little=很小,小型 new=新的 old=旧的,老的 fast,quick,quickly=快速,迅速
slow=缓慢,很慢 beautiful=美丽,漂亮 interesting=有趣 red=红色 blue=蓝色 green=绿色 yellow=黄色
white=白色 black=黑色 color=颜色 weather=天气 rain=下雨 snow=下雪 sun,sunny=太阳,晴天 wind=刮风
hot=炎热 cold=寒冷 spring=春天,春季 summer=夏天,夏季 autumn,fall=秋天,秋季 winter=冬天,冬季 today=今天
yesterday=昨天 tomorrow=明天 now=现在,目前 morning=早上,早晨,上午 noon=中午 afternoon=下午
evening,night=晚上,夜晚,夜里 day=天,日子 week=星期,一周 month=月份,个月 year=年份,一年 hour=小时
minute=分钟 time=时间 january=1月,一月 february=2月,二月 march=3月,三月 april=4月,四月 may=5月,五月
june=6月,六月 july=7月,七月 august=8月,八月 september=9月,九月 october=10月,十月 november=11月,十一月
december=12月,十二月 monday=星期一,周一 tuesday=星期二,周二 wednesday=星期三,周三 thursday=星期四,周四
friday=星期五,周五 saturday=星期六,周六 sunday=星期日,周日,星期天 first=第一 last=最后,上次
next=下次,下一 before,previously,once=以前,之前,曾经 after,later=之后,以后,后来
often,usually=经常,通常 always=总是,一直 never=从不,从来 home,house=房子,家里 apartment,room=公寓,房间
rent=租房,房租 move=搬家 kitchen=厨房 bedroom=卧室 bathroom,toilet=浴室,厕所 door=门 window=窗户,窗口
table,desk=桌子 chair=椅子 bed=床 lamp,light=灯 clothes,clothing,dress=衣服,服装 shoe=鞋子 hat=帽子
bag=包包,书包 cat=猫 dog=狗 bird=鸟 pet=宠物 animal=动物 computer=电脑,计算机 laptop=笔记本电脑
keyboard=键盘 screen=屏幕 software=软件 hardware=硬件 internet,network=网络,互联网
website,web=网站,网页 app,application=应用,应用程序 system=系统 program,programming=程序,编程
code,coding=代码,编码 function=函数,功能 class=类 variable=变量 parameter,argument=参数
library=库,类库 framework=框架 interface=接口,界面 database=数据库 data=数据 query=查询
table=表格,数据表 index=索引 cache=缓存 server=服务器,服务端 client=客户端 deploy,deployment=部署,上线
release,version=版本,发布 install,installation=安装 configure,configuration,config,setting=配置,设置
environment=环境 test,testing=测试 debug=调试 bug,error,mistake=错误,故障,报错,漏洞 exception=异常
log=日志 performance=性能 optimize,optimization=优化 memory=内存,记忆 disk,storage=磁盘,存储,硬盘
file=文件 folder,directory=文件夹,目录 path=路径 script=脚本 command=命令,指令 terminal,shell=终端
commit=提交 branch=分支 merge=合并 repository,repo=仓库,代码库 review=审查,评审,复习
document,documentation=文档 backup=备份 restore,recover,recovery=恢复,还原 permission=权限
security,secure,safe,safety=安全 encrypt,encryption=加密 login=登录 register,registration=注册
message=消息,信息,短信 notification,notify=通知,提醒 image=镜像,图像 container=容器 thread=线程
process=进程,流程 timeout=超时 retry=重试 request=请求 response=响应 api=接口 model=模型
train,training=训练,培训 ai=人工智能 algorithm=算法 format=格式 language=编程语言
translate,translation=翻译 summary,summarize=总结,摘要 report=报告 table=表 chart=图表 style=风格
habit=习惯 preference,prefer=偏好 rule=规则 fact=事实 knowledge=知识 culture=文化
tradition,traditional=传统 religion=宗教 society,social=社会 environment,environmental=环保
nature=自然 technology=技术,科技 sci-fi=科幻 romance,romantic=浪漫,爱情片 comedy=喜剧 horror=恐怖
action=动作 adventure=冒险,探险 mystery,detective=悬疑,侦探 war=战争 space,universe=太空,宇宙
star=明星,星星 moon=月亮 earth=地球 life=生活,人生 death,die=死亡,去世
volunteer,charity=志愿者,慈善,公益 competition,contest=比赛,竞赛 award,prize=奖项,奖品,获奖
club=俱乐部,社团 activity,event=活动 accident=事故 insurance=保险 passport=护照 visa=签证
luggage,baggage=行李 cancel,cancellation=取消 book,booking,reservation,reserve=预订,预约
"""


@lru_cache(maxsize=1)
def _lexicon() -> tuple[Mapping[str, frozenset[str]], int]:
    """What else names the concepts of each stem and of each Chinese word; the longest Chinese word."""
    rows = [tuple(side.split(",") for side in entry.partition("=")[::2]) for entry in _CONCEPTS.split()]
    stem_of = stems({word for english, _ in rows for word in english})
    others: defaultdict[str, set[str]] = defaultdict(set)
    for english, chinese in rows:
        known = [stem_of[word] for word in english if word in stem_of]
        for stem in known:
            others[stem].update(chinese)
        for word in chinese:
            others[word].update(known)
            others[word].update(other for other in chinese if other != word)
    return {word: frozenset(same) for word, same in others.items()}, max(map(len, others))


def same_concept(word: str) -> frozenset[str]:
    """What else names the concepts of an English stem or a Chinese word: stems and Chinese words, never itself.

    English stems lead to Chinese words alone; a word that is not known leads nowhere.
    """
    return _lexicon()[0].get(word, frozenset())


def known_words(pieces: Iterable[str]) -> list[str]:
    """The words of a text that the lexicon knows, each once, in order: ``pieces`` are folded runs and stems.

    A CJK run is cut at the longest word that fits, from the left.
    """
    others, longest = _lexicon()
    found: dict[str, None] = {}
    for piece in pieces:
        if not is_cjk(piece):
            if piece in others:
                found[piece] = None
            continue
        at = 0
        while at < len(piece):
            sizes = range(min(longest, len(piece) - at), 0, -1)
            size = next((size for size in sizes if piece[at : at + size] in others), 0)
            if size:
                found[piece[at : at + size]] = None
            at += size or 1
    return list(found)
